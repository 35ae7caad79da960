import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Clock } from '@amplifier/core';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { type Pieces, sizeOf } from '../byte-cache.js';
import { GZIP_MIN_BYTES, LARGE_BODY_BYTES, READER_STALL_MS, SENT_AT_ONCE_BYTES } from '../defaults.js';
import type { Endpoint, Reply } from './endpoint.js';
import type { StoredAnswer } from './idempotency.js';
import { Outlet } from './outlet.js';

const gzipAsync = promisify(gzip);
const packedBodies = new WeakMap<Pieces, Promise<Uint8Array<ArrayBuffer>>>();

interface Sending {
  clock: Clock;
  /** Called when an answer could not be sent to its end. */
  onFailure: (error: unknown) => void;
}

/** Made with plain headers, and at once unless it has to be packed: the adapter has a short way for such answers. */
export function respond(
  context: Context,
  { success }: Endpoint,
  reply: Reply,
  sending: Sending,
): Response | Promise<Response> {
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
  const send = (pieces: Sent, size?: number) => {
    outgoing.writeHead(status, size === undefined ? headers : { ...headers, 'content-length': size });
    void sendPaced(outgoing as ServerResponse, pieces, sending);
    return RESPONSE_ALREADY_SENT;
  };
  if (reply.lines) return send(reply.lines);
  const body = renderBody(reply);
  if (isWorthGzip(body, incoming.headers['accept-encoding']))
    return packed(body).then((whole) => {
      headers['content-encoding'] = 'gzip';
      headers.vary = headers.vary ? `${headers.vary}, Accept-Encoding` : 'Accept-Encoding';
      if (whole.length >= LARGE_BODY_BYTES) return send(slices([whole]), whole.length);
      return new Response(whole, { status, headers });
    });
  if (typeof body === 'string') {
    if (body.length < LARGE_BODY_BYTES) return new Response(body, { status, headers });
    const whole = Buffer.from(body);
    return send(slices([whole]), whole.length);
  }
  if (sizeOf(body) < LARGE_BODY_BYTES) return new Response(Buffer.concat(body), { status, headers });
  return send(slices(body), sizeOf(body));
}

export function acceptsStream({ req }: Context): boolean {
  return req.header('accept')?.includes('text/event-stream') ?? false;
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
    'x-request-id': context.get('requestId'),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  // Those of the library are on its draft of the response, which an answer that is sent directly does not use.
  return origin === undefined ? headers : { ...Object.fromEntries(context.res.headers), ...headers };
}

function renderBody({ json, body }: Reply): string | Pieces {
  return json ?? JSON.stringify(body);
}

type Sent = Iterable<Uint8Array> | AsyncIterable<string>;

/**
 * Sends a body at the pace of its reader: little of it waits in the connection, whatever else the daemon has to answer is not kept
 * waiting, and a reader that takes nothing is disconnected.
 */
async function sendPaced(
  response: ServerResponse,
  pieces: Sent,
  { clock, onFailure }: Sending,
): Promise<void> {
  const options = { clock, limit: SENT_AT_ONCE_BYTES, stall_ms: READER_STALL_MS };
  const outlet = new Outlet(response, options, () => {});
  try {
    for await (const piece of pieces) {
      if (outlet.closed) return;
      outlet.write(piece);
      if (!outlet.hasRoom) await outlet.drained();
    }
    await outlet.drained();
    outlet.end('');
  } catch (error) {
    onFailure(error);
    response.destroy();
  }
}

/** Large bodies are sent as they are in memory: joining the pieces would cost more (the large profile of the bench `daemon`). */
function* slices(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const piece of pieces)
    for (let at = 0; at < piece.length; at += SENT_AT_ONCE_BYTES)
      yield piece.subarray(at, at + SENT_AT_ONCE_BYTES);
}

/** Does the client take gzip, and is there enough to pack? The library would pack each answer anew, as a stream. */
function isWorthGzip(body: string | Pieces, accept_encoding: string | string[] | undefined): boolean {
  if (typeof accept_encoding !== 'string') return false;
  const size = typeof body === 'string' ? body.length : sizeOf(body);
  return size >= GZIP_MIN_BYTES && acceptsGzip(accept_encoding);
}

/** Fast rather than small: most clients are near. Cached pieces are compressed once. */
function packed(body: string | Pieces): Promise<Uint8Array<ArrayBuffer>> {
  if (typeof body === 'string') return pack(body);
  const made = packedBodies.get(body) ?? pack(Buffer.concat(body));
  packedBodies.set(body, made);
  return made;
}

async function pack(whole: string | Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return (await gzipAsync(whole, { level: constants.Z_BEST_SPEED })) as Uint8Array<ArrayBuffer>;
}

function acceptsGzip(header: string): boolean {
  return header.split(',').some((each) => /^\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(each));
}
