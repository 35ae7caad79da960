import { connectionIs, Patience } from '../live/connection.js';

/** What the server refused, in its own words. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string | null;

  constructor(status: number, code: string | null, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Called when the server no longer knows this browser: the shell shows how to sign in again. */
let signedOut: () => void = () => {};
export function onSignedOut(act: () => void): void {
  signedOut = act;
}

export interface Answer<T> {
  body: T;
  headers: Headers;
}

/** Another site cannot set a header of its own on a request with our cookie: this one shows where the request comes from. */
const OWN = { 'x-amplifier-csrf': '1' };

export async function ask<T>(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<Answer<T>> {
  const unreached = (error: unknown): never => {
    if (signal?.aborted) throw error;
    throw new ApiError(0, null, 'The daemon does not answer. It may be restarting; try again in a moment.');
  };
  const response = await fetch(`/api/v1${path}`, {
    method,
    credentials: 'same-origin',
    headers: {
      ...(method === 'GET' ? {} : OWN),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch(unreached);
  if (response.ok) {
    const text = await response.text().catch(unreached);
    return { body: (text === '' ? null : JSON.parse(text)) as T, headers: response.headers };
  }
  throw await refusal(response);
}

export async function refusal(response: Response): Promise<ApiError> {
  if (response.status === 401) signedOut();
  const problem = await response.json().catch(() => ({}) as Record<string, unknown>);
  const words =
    problem.detail ?? problem.message ?? problem.title ?? `The daemon answered ${response.status}.`;
  return new ApiError(response.status, typeof problem.code === 'string' ? problem.code : null, String(words));
}

/** Nobody answered, or only what stands before a daemon that is not there. */
const isUnreached = (error: unknown): boolean =>
  error instanceof ApiError && [0, 502, 503, 504].includes(error.status);

/** Reads, and tries again while the daemon cannot be reached: a page that was opened at a bad moment mends itself. */
export async function read<T>(path: string, signal?: AbortSignal): Promise<Answer<T>> {
  const reading = {};
  const patience = new Patience();
  try {
    for (;;) {
      try {
        return await ask<T>('GET', path, undefined, signal);
      } catch (error) {
        if (!isUnreached(error)) throw error;
      }
      connectionIs(reading, 'down');
      await patience.wait(signal);
      signal?.throwIfAborted();
    }
  } finally {
    connectionIs(reading, 'up');
  }
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await read<T>(path, signal)).body;
}

export async function post<T>(path: string, body: unknown = {}): Promise<T> {
  return (await ask<T>('POST', path, body)).body;
}

export async function remove<T>(path: string): Promise<T> {
  return (await ask<T>('DELETE', path)).body;
}
