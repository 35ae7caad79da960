import { type FollowOptions, FollowRefused, type StreamItem } from '@amplifier/daemon/client';
import { client, refusal } from '../api/client.js';
import { connectionIs, Patience } from './connection.js';
import { isInSight, untilInSight, whenOutOfSight } from './in-sight.js';

export interface Follower {
  take(item: StreamItem): void;
  /** Everything stored has been sent. Messages that are still written follow from their beginning. */
  synced(): void;
  /** The position is no longer kept: start again from a new picture. */
  reset(): void;
}

/**
 * Follows a stream of events until it is stopped. It gives its connection back while the tab is out of sight. Every connection
 * continues after the last event that arrived.
 */
export function follow(options: FollowOptions, follower: Follower): () => void {
  const stopped = new AbortController();
  const stream = {};
  const patience = new Patience();
  let { after } = options;

  const connected = (): void => {
    connectionIs(stream, 'up');
    patience.reset();
  };

  const listen = async (): Promise<void> => {
    const hidden = new AbortController();
    const seen = whenOutOfSight(() => hidden.abort());
    const items = client.followLive({
      ...options,
      ...(after === undefined ? {} : { after }),
      signal: AbortSignal.any([stopped.signal, hidden.signal]),
      wait: async (_, signal) => {
        connectionIs(stream, 'down');
        await patience.wait(signal);
      },
      onSignal: ({ name, cursor }) => {
        after = cursor ?? after;
        if (name === 'reset') follower.reset();
        if (name !== 'synced') return;
        connected();
        follower.synced();
      },
    });
    try {
      for await (const item of items) {
        if (item.kind === 'disconnected') continue;
        if ('cursor' in item) after = item.cursor;
        connected();
        follower.take(item);
      }
    } finally {
      seen();
    }
  };

  const keepOn = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await untilInSight(stopped.signal);
      try {
        await listen();
      } catch (error) {
        if (stopped.signal.aborted) return;
        const { status, code } = refusedBy(error);
        if (status === 401 || status === 404) return connectionIs(stream, 'up');
        if (code === 'INVALID_CURSOR') {
          after = undefined;
          follower.reset();
        }
      }
      if (stopped.signal.aborted) return;
      if (!isInSight()) continue;
      connectionIs(stream, 'down');
      await patience.wait(stopped.signal);
    }
  };
  void keepOn();
  return () => {
    stopped.abort();
    connectionIs(stream, 'up');
  };
}

function refusedBy(error: unknown): { status?: number; code?: unknown } {
  if (!(error instanceof FollowRefused)) return {};
  refusal(error.status, error.problem);
  return { status: error.status, code: (error.problem as { code?: unknown } | null)?.code };
}
