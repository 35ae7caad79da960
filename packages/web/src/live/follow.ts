import { ApiError, refusal } from '../api/http.js';
import type { Delta, SessionEvent, Snapshot } from '../api/types.js';
import { streamIs } from './connection.js';
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

const FIRST_WAIT = 250;
const LONGEST_WAIT = 5_000;
/** The server sends a heartbeat every 15 s; a stream that is silent for longer is dead, whatever the socket says. */
const SILENCE = 45_000;

/**
 * Follows a stream of events until it is stopped. A lost connection is taken up again at the last event that arrived, so that
 * nothing is missed and nothing comes twice.
 */
export function follow(path: string, from: string | null, follower: Follower): () => void {
  const stopped = new AbortController();
  let place = from;
  let wait = FIRST_WAIT;
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
    const silent = new AbortController();
    const signal = AbortSignal.any([stopped.signal, silent.signal]);
    let timer = setTimeout(() => silent.abort(), SILENCE);
    try {
      const after =
        place === null ? '' : `${path.includes('?') ? '&' : '?'}after=${encodeURIComponent(place)}`;
      const response = await fetch(`/api/v1${path}${after}`, {
        headers: { accept: 'text/event-stream' },
        credentials: 'same-origin',
        signal,
      });
      if (!response.ok || !response.body) throw await refusal(response);
      streamIs(stream, 'up');
      wait = FIRST_WAIT;
      const parse = sseParser(take);
      const decoder = new TextDecoder();
      const reader = response.body.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        clearTimeout(timer);
        timer = setTimeout(() => silent.abort(), SILENCE);
        parse(decoder.decode(value, { stream: true }));
      }
    } finally {
      clearTimeout(timer);
    }
  };

  const keepOn = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      try {
        await connect();
      } catch (error) {
        if (stopped.signal.aborted) return;
        const refused = error instanceof ApiError && error.status >= 400 && error.status < 500 ? error : null;
        if (refused?.status === 401 || refused?.status === 404) return streamIs(stream, 'closed');
        if (refused?.code === 'INVALID_CURSOR') follower.reset();
      }
      if (stopped.signal.aborted) return;
      streamIs(stream, 'down');
      await pause(wait, stopped.signal);
      wait = Math.min(wait * 2, LONGEST_WAIT);
    }
  };
  void keepOn();
  return () => {
    stopped.abort();
    streamIs(stream, 'closed');
  };
}

/** Shorter when the page comes back to the front or the network returns: the person is looking. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      window.removeEventListener('online', done);
      document.removeEventListener('visibilitychange', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    window.addEventListener('online', done);
    document.addEventListener('visibilitychange', done);
  });
}
