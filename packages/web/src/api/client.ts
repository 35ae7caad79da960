import { createClient } from '@amplifier/daemon/client';
import { connectionIs, Patience } from '../live/connection.js';

/** The cookie of the page signs its requests. */
export const client = createClient({ url: '' });

/** A refusal in the daemon's words. Status 0: the daemon was not reached. */
export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const errorWords = (error: unknown): string =>
  error instanceof ApiError ? error.message : String(error);

/** Called when the server no longer knows this browser: the shell shows how to sign in again. */
let signedOut: () => void = () => {};
export function onSignedOut(act: () => void): void {
  signedOut = act;
}

export interface Answer<T> {
  body: T;
  headers: Headers;
}

type Send<T> = () => Promise<{ data?: T | undefined; error?: unknown; response: Response }>;

/** The answer to a request; throws an `ApiError` if it is refused. */
async function answerTo<T>(send: Send<T>, signal?: AbortSignal | null): Promise<Answer<T>> {
  const { data, error, response } = await send().catch((reason: unknown) => {
    if (signal?.aborted) throw reason;
    throw new ApiError(0, 'The daemon does not answer. It may be restarting; try again in a moment.');
  });
  if (response.ok) return { body: (data ?? null) as T, headers: response.headers };
  throw refusal(response.status, error);
}

export function refusal(status: number, problem: unknown): ApiError {
  if (status === 401) signedOut();
  const { detail, title } = (problem ?? {}) as { detail?: unknown; title?: unknown };
  return new ApiError(status, String(detail ?? title ?? `The daemon answered ${status}.`));
}

export async function ask<T>(send: Send<T>): Promise<T> {
  return (await answerTo(send)).body;
}

/** No answer, or only one of a proxy without a daemon behind it. */
const isUnreached = (error: unknown): boolean =>
  error instanceof ApiError && [0, 502, 503, 504].includes(error.status);

/** Reads, and tries again while the daemon cannot be reached: a page that was opened at a bad moment mends itself. */
export async function readAnswer<T>(send: Send<T>, signal?: AbortSignal | null): Promise<Answer<T>> {
  const reading = {};
  const patience = new Patience();
  try {
    for (;;) {
      try {
        return await answerTo(send, signal);
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

export async function read<T>(send: Send<T>, signal?: AbortSignal | null): Promise<T> {
  return (await readAnswer(send, signal)).body;
}
