import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { components } from '../../api-types.js';

/** An event, and its position: pass that as `after` to continue later, in this process or another. */
export type ApiEvent = components['schemas']['Event'] & { cursor: string };

/** What the stream says about itself rather than about a session. */
export interface StreamSignal {
  name: 'synced' | 'gap' | 'reset' | 'shutdown' | 'revoked' | 'disconnected';
  cursor: string | undefined;
}

interface LivePlace {
  session_id: string;
  root_id: string;
  message_id: string;
}

/** Everything a stream tells, as it comes. `delta`, `snapshot` and `message_end` are of messages that are not stored yet. */
export type StreamItem =
  | ({ kind: 'event' } & ApiEvent)
  | ({ kind: 'delta'; part: 'text' | 'reasoning'; offset: number; delta: string } & LivePlace)
  | ({ kind: 'snapshot'; part: 'text' | 'reasoning'; text: string } & LivePlace)
  | ({ kind: 'message_end' } & LivePlace)
  /** A message was stored: with `messages` it is here with its position, otherwise `transcript?after=<seq - 1>` has it. */
  | {
      kind: 'message';
      session_id: string;
      root_id: string;
      seq: number;
      message?: components['schemas']['SessionMessage'];
      cursor?: string;
    }
  /** The connection is lost; it is made again by itself. */
  | { kind: 'disconnected' };

export interface FollowOptions {
  /** One session; without it all of them. */
  session_id?: string;
  /** Also what is below the session. */
  children?: boolean;
  /** Names of events, or their beginnings with `*`. */
  names?: readonly string[];
  /** Only the tree of this root, in the stream of all sessions. */
  root_id?: string;
  /** Also stored messages, for `followLive`. */
  messages?: boolean;
  /** Continue after this position. Default: from the first event of a session, from now for all. */
  after?: string;
  /** Text while it is written. Default of `followLive`: true. */
  deltas?: boolean;
  signal?: AbortSignal;
  /** Waits before the next connection, which may be sooner or later than the daemon asks for. Default: a timer. */
  wait?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  onSignal?: (signal: StreamSignal) => void;
}

export interface Connection {
  url: string;
  headers: Record<string, string>;
  fetch: typeof fetch;
}

/** The daemon will not give this stream, however often it is asked. `problem` is its problem document. */
export class FollowRefused extends Error {
  readonly status: number;
  readonly problem: unknown;

  constructor(status: number, problem: unknown) {
    super((problem as { detail?: string } | null)?.detail ?? `The daemon answered ${status}.`);
    this.name = 'FollowRefused';
    this.status = status;
    this.problem = problem;
  }
}

const LIVE = new Set(['delta', 'snapshot', 'message_end', 'message']);
const SIGNALS = new Set(['synced', 'gap', 'reset', 'shutdown', 'revoked']);
/** How long to wait before connecting again, until the daemon says otherwise. */
const FIRST_RETRY_MS = 1_000;
/** The daemon sends a comment every 15 s: a connection that is silent for longer is dead, whatever the socket says. */
const SILENCE_MS = 45_000;

/** Yields events until `signal` aborts or the caller stops asking. A broken connection is made again where it broke. */
export async function* followEvents(
  connection: Connection,
  options: FollowOptions,
): AsyncGenerator<ApiEvent> {
  for await (const item of followLive(connection, { ...options, deltas: false })) {
    if (item.kind !== 'event') continue;
    const { kind: _, ...event } = item;
    yield event as ApiEvent;
  }
}

/** The same with text while it is written, unless `deltas` is false. `LiveMessages` folds it into messages. */
export async function* followLive(
  connection: Connection,
  options: FollowOptions,
): AsyncGenerator<StreamItem> {
  const { signal, onSignal, wait = pause } = options;
  let cursor = options.after;
  let retry_ms = FIRST_RETRY_MS;
  while (!signal?.aborted) {
    const watch = watchSilence(signal);
    try {
      const stream = await connect(connection, { ...options, signal: watch.signal }, cursor);
      cursor = stream?.cursor ?? cursor;
      const frames = stream ? framesOf(stream.body, watch, (ms) => (retry_ms = ms)) : [];
      for await (const { id, event, data } of frames) {
        cursor = id ?? cursor;
        if (event === undefined || data === '') continue;
        if (SIGNALS.has(event)) onSignal?.({ name: event as StreamSignal['name'], cursor });
        else if (LIVE.has(event)) yield { ...JSON.parse(data), kind: event, ...(id && { cursor }) };
        else yield { ...JSON.parse(data), cursor, kind: 'event' };
      }
    } catch (error) {
      if (!isBroken(error)) throw error;
    } finally {
      watch.stop();
    }
    if (signal?.aborted) return;
    onSignal?.({ name: 'disconnected', cursor });
    yield { kind: 'disconnected' };
    await wait(retry_ms, signal);
  }
}

/** Null when the daemon has no room now. */
async function connect(
  { url, headers, fetch: send }: Connection,
  { session_id, root_id, children, names, messages, deltas = true, signal }: FollowOptions,
  cursor: string | undefined,
): Promise<{ body: ReadableStream<Uint8Array>; cursor: string | undefined } | null> {
  const path =
    session_id === undefined ? '/api/v1/events' : `/api/v1/sessions/${encodeURIComponent(session_id)}/events`;
  const query = new URLSearchParams();
  if (children) query.set('children', 'true');
  if (root_id !== undefined) query.set('root_id', root_id);
  if (deltas) query.set('deltas', 'true');
  if (messages) query.set('messages', 'true');
  if (names?.length) query.set('names', names.join(','));
  const place = cursor === undefined ? {} : { 'last-event-id': cursor };
  const response = await send(`${url}${path}?${query}`, {
    headers: { ...headers, accept: 'text/event-stream', ...place },
    signal: signal ?? null,
  });
  // A stream that starts now says where that is: a connection that breaks before the first event continues from there.
  const start = cursor ?? response.headers.get('x-next-cursor') ?? undefined;
  if (response.ok) return response.body && { body: response.body, cursor: start };
  if (response.status === 429 || response.status >= 500) return null;
  throw new FollowRefused(response.status, await response.json().catch(() => null));
}

interface Frame {
  id?: string | undefined;
  event?: string | undefined;
  data: string;
}

/** The frames of a body; stopping early gives the connection back. */
async function* framesOf(
  body: ReadableStream<Uint8Array>,
  { heard, stop }: SilenceWatch,
  onRetry: (ms: number) => void,
): AsyncGenerator<Frame> {
  const frames = body
    .pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>)
    .pipeThrough(
      new EventSourceParserStream({ onRetry, onComment: heard } as ConstructorParameters<
        typeof EventSourceParserStream
      >[0]),
    );
  const reader = frames.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      // A caller that takes long is no silence.
      stop();
      yield value;
      heard();
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

interface SilenceWatch {
  signal: AbortSignal;
  heard(): void;
  stop(): void;
}

/** Its signal aborts with `signal`, or when nothing was heard for `SILENCE_MS`. */
function watchSilence(signal: AbortSignal | undefined): SilenceWatch {
  const silent = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => clearTimeout(timer);
  const heard = () => {
    stop();
    timer = setTimeout(() => silent.abort(), SILENCE_MS);
  };
  heard();
  return { signal: signal ? AbortSignal.any([signal, silent.signal]) : silent.signal, heard, stop };
}

/** Platforms say `TypeError` for a connection that could not be made or broke, and `AbortError` for one that was ended. */
function isBroken(error: unknown): boolean {
  return error instanceof TypeError || (error as { name?: string } | null)?.name === 'AbortError';
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
