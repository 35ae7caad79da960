import type { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { type Pieces, sizeOf } from '../byte-cache.js';
import { LARGE_BODY_BYTES } from '../defaults.js';
import { isWorthGzip, packed } from './compress.js';
import { crossOrigin } from './cross-origin.js';
import type { Endpoint, Reply } from './endpoint.js';
import type { StoredAnswer } from './idempotency.js';

/** Made with plain headers, and at once unless it has to be packed: the adapter has a short way for such answers. */
export function respond(context: Context, { success }: Endpoint, reply: Reply): Response | Promise<Response> {
  const { incoming, outgoing } = context.env as HttpBindings;
  const status = reply.status ?? success.status;
  const headers = Object.assign(everyHeader(context), reply.headers);
  if (status === 204 || status === 303 || status === 304) return new Response(null, { status, headers });
  headers['content-type'] ??= 'application/json';
  if (incoming.method === 'HEAD') return new Response(null, { status, headers });
  if (reply.stream) {
    outgoing.writeHead(status, headers);
    outgoing.flushHeaders();
    reply.stream(outgoing as ServerResponse);
    return RESPONSE_ALREADY_SENT;
  }
  const body = renderBody(reply);
  if (isWorthGzip(body, incoming.headers['accept-encoding'])) return respondPacked(status, headers, body);
  if (typeof body === 'string') return new Response(body, { status, headers });
  if (sizeOf(body) < LARGE_BODY_BYTES) return new Response(Buffer.concat(body), { status, headers });
  sendPieces(outgoing as ServerResponse, status, headers, body);
  return RESPONSE_ALREADY_SENT;
}

/** An answer as it is kept for whoever asks again. */
export function toStored({ success }: Endpoint, reply: Reply): StoredAnswer {
  const { status = success.status, headers = {} } = reply;
  const body = status === 204 ? '' : renderBody(reply);
  const json = typeof body === 'string' ? body : Buffer.concat(body).toString('utf8');
  return { status, headers, json };
}

/** Given when the answer is made: adding headers to a finished one costs more than the rest of the request. */
export function everyHeader(context: Context): Record<string, string> {
  const { origin } = (context.env as HttpBindings).incoming.headers;
  const headers = {
    'x-request-id': context.get('request_id'),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  return origin === undefined ? headers : { ...headers, ...crossOrigin(origin) };
}

function renderBody({ json, body }: Reply): string | Pieces {
  return json ?? JSON.stringify(body);
}

async function respondPacked(
  status: number,
  headers: Record<string, string>,
  body: string | Pieces,
): Promise<Response> {
  headers['content-encoding'] = 'gzip';
  headers.vary = headers.vary ? `${headers.vary}, Accept-Encoding` : 'Accept-Encoding';
  return new Response(await packed(body), { status, headers });
}

/**
 * Large bodies go out as they lie in memory: joining the pieces would cost more than all the rest (the large profile of the bench
 * `daemon`). The client hears the beginning at once, and whatever else the daemon has to answer is not kept waiting until the network
 * has taken megabytes.
 */
function sendPieces(
  outgoing: ServerResponse,
  status: number,
  headers: Record<string, string>,
  pieces: Pieces,
): void {
  const [first, ...rest] = pieces;
  outgoing.writeHead(status, { ...headers, 'content-length': sizeOf(pieces) });
  outgoing.write(first);
  setImmediate(() => {
    if (outgoing.destroyed) return;
    for (const piece of rest) outgoing.write(piece);
    outgoing.end();
  });
}
