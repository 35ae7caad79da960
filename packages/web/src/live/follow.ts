import { ApiError, refusal } from '../api/http.js';
import type { Delta, SessionEvent, Snapshot } from '../api/types.js';
import { connectionIs, Patience } from './connection.js';
import { isInSight, untilInSight, whenOutOfSight } from './in-sight.js';
import { type SseFrame, sseParser } from './parse-sse.js';

export interface Follower {
  event(event: SessionEvent): void;
  delta?(delta: Delta): void;
  snapshot?(snapshot: Snapshot): void;
  /** It is stored, or was given up. */
  messageEnd?(end: { session_id: string; message_id: string }): void;
  /** The conversation of a session has come to this message. */
  message?(news: { session_id: string; seq: number }): void;
  /** Everything stored has been sent. */
  synced?(): void;
  /** The place is no longer kept, or the server will not say more: begin anew from a fresh picture. */
  reset(): void;
}

/** The server sends a heartbeat every 15 s; a stream that is silent for longer is dead, whatever the socket says. */
const SILENCE = 45_000;

/**
 * Follows a stream of events until it is stopped. A lost connection is taken up again at the last event that arrived, so that
 * nothing is missed and nothing comes twice; so is one that was given back while the tab was out of sight.
 */
export function follow(path: string, from: string | null, follower: Follower): () => void {
  const stopped = new AbortController();
  let place = from;
  const patience = new Patience();
  const stream = {};

  const take = ({ event, id, data }: SseFrame): void => {
    if (id !== null) place = id;
    const body = JSON.parse(data);
    if (event === 'delta') follower.delta?.(body);
    else if (event === 'snapshot') follower.snapshot?.(body);
    else if (event === 'message_end') follower.messageEnd?.(body);
    else if (event === 'message') follower.message?.(body);
    else if (event === 'synced') follower.synced?.();
    else if (event === 'reset') follower.reset();
    else if (event === 'gap' || event === 'shutdown' || event === 'revoked') return;
    else follower.event(body);
  };

  const connect = async (): Promise<void> => {
    const ended = new AbortController();
    const signal = AbortSignal.any([stopped.signal, ended.signal]);
    const end = (): void => ended.abort();
    let timer = setTimeout(end, SILENCE);
    const seen = whenOutOfSight(end);
    try {
      const after =
        place === null ? '' : `${path.includes('?') ? '&' : '?'}after=${encodeURIComponent(place)}`;
      const response = await fetch(`/api/v1${path}${after}`, {
        headers: { accept: 'text/event-stream' },
        credentials: 'same-origin',
        signal,
      });
      if (!response.ok || !response.body) throw await refusal(response);
      place ??= response.headers.get('x-next-cursor');
      connectionIs(stream, 'up');
      patience.reset();
      const parse = sseParser(take);
      const decoder = new TextDecoder();
      const reader = response.body.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        clearTimeout(timer);
        timer = setTimeout(end, SILENCE);
        parse(decoder.decode(value, { stream: true }));
      }
    } finally {
      clearTimeout(timer);
      seen();
    }
  };

  const keepOn = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await untilInSight(stopped.signal);
      try {
        await connect();
      } catch (error) {
        if (stopped.signal.aborted) return;
        const refused = error instanceof ApiError && error.status >= 400 && error.status < 500 ? error : null;
        if (refused?.status === 401 || refused?.status === 404) return connectionIs(stream, 'up');
        if (refused?.code === 'INVALID_CURSOR') follower.reset();
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
