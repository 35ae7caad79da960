import type { IncomingMessage } from 'node:http';
import { ToolError } from '../tool-error.js';

export interface PinnedRequest {
  url: URL;
  /** The address that was checked. The connection goes there, whatever the name says by then. */
  address: string;
  headers: Record<string, string>;
  signal: AbortSignal;
}

/** One GET over a connection to exactly one address. Redirects are not followed. */
export async function pinnedRequest({
  url,
  address,
  headers,
  signal,
}: PinnedRequest): Promise<IncomingMessage> {
  const { request } = await import(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const family = address.includes(':') ? 6 : 4;
  type Found = (error: null, found: string | { address: string; family: number }[], family?: number) => void;
  const lookup = (_host: string, options: { all?: boolean }, found: Found) =>
    options.all ? found(null, [{ address, family }]) : found(null, address, family);
  return new Promise((resolve, reject) => {
    request(url, { headers, signal, lookup, agent: false }, resolve)
      .on('error', (error: Error) => reject(failure(url, error, signal)))
      .end();
  });
}

function failure(url: URL, error: Error, signal: AbortSignal): Error {
  if (signal.aborted) return error;
  return new ToolError('FETCH_FAILED', `${url.href} could not be fetched: ${error.message}.`, {
    retryable: true,
    cause: error,
  });
}
