import type { ServerResponse } from 'node:http';
import type { JsonObject } from '@amplifier/core';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { Hono } from 'hono';
import type { Logger } from 'pino';
import { type Pieces, sizeOf } from '../byte-cache.js';
import { DaemonError } from '../daemon-error.js';
import { gzipBody } from './compress.js';
import { crossOrigin, preflight } from './cross-origin.js';
import { type Endpoint, parsePart, type Reply } from './endpoint.js';
import { checkHost, checkOrigin, checkToken, type GateRules, isKnownToken, requestId } from './gate.js';
import type { Idempotency, Once, StoredAnswer } from './idempotency.js';
import type { Metrics } from './metrics.js';
import { problemOf, toDaemonError } from './problem.js';
import type { RateLimit } from './rate-limit.js';
import { readJson } from './read-body.js';
import { type Caller, checkScope, scopeOf } from './scope.js';

export interface AppOptions {
  endpoints: readonly Endpoint[];
  rules: GateRules;
  max_body_bytes: number;
  rateLimit: RateLimit | null;
  idempotency: Idempotency;
  metrics: Metrics;
  logger: Logger;
}

interface Variables {
  request_id: string;
  caller: Caller;
  route: string;
  /** Does the token of the request still count? For answers that go on long after it was checked. */
  isAllowed: () => boolean;
}

type Env = { Bindings: HttpBindings; Variables: Variables };

/** The HTTP side of the daemon: gate, endpoints, refusals. Knows nothing of what the endpoints do. */
export function buildApp(options: AppOptions): Hono<Env> {
  const { endpoints, rules, rateLimit, metrics, logger } = options;
  const app = new Hono<Env>({ strict: false });
  app.use(async (context, next) => {
    const started = performance.now();
    const { req } = context;
    // Node has parsed these already; asking the request for them would make a second set of all headers.
    const { host, origin, authorization, 'x-request-id': given } = context.env.incoming.headers;
    const request_id = requestId(typeof given === 'string' ? given : undefined);
    context.set('request_id', request_id);
    checkHost(host, rules);
    checkOrigin(origin, host, rules);
    if (req.method === 'OPTIONS' && origin !== undefined) return preflight(origin);
    const caller = checkToken(req.path, authorization, rules);
    context.set('caller', caller);
    context.set('isAllowed', () => isKnownToken(authorization, rules));
    await rateLimit?.(caller);
    await next();
    const ms = since(started);
    const status = statusOf(context);
    metrics.answered(req.method, context.get('route') ?? 'none', status, ms / 1_000);
    if (context.error) return; // The refusal has its own line.
    logger.info({ request_id, method: req.method, path: req.path, status, ms }, 'request');
  });
  for (const definition of endpoints) {
    app.on(definition.method.toUpperCase(), toHonoPath(definition.path), (context) =>
      answer(definition, context, options),
    );
  }
  app.notFound((context) => refuse(context, missing(endpoints, context.req.path), logger));
  app.onError((error, context) => refuse(context, toDaemonError(error), logger));
  return app;
}

async function answer(definition: Endpoint, context: Context, options: AppOptions): Promise<Response> {
  const { req } = context;
  context.set('route', definition.path);
  checkScope(context.get('caller'), scopeOf(definition));
  const call = {
    params: definition.params ? parsePart(definition.params, req.param(), 'path') : {},
    query: definition.query ? parsePart(definition.query, queryOf(context), 'query') : {},
    body: definition.body
      ? parsePart(definition.body, await readJson(req, options.max_body_bytes), 'body')
      : {},
    context,
  };
  const carryOut = (once: Once | null) => definition.handle({ ...call, once } as never);
  const key = definition.idempotent ? req.header('idempotency-key') : undefined;
  if (key !== undefined) {
    const owner = `${(context.get('caller') as Caller).id} ${req.method} ${req.path}`;
    const content = JSON.stringify([call.query, call.body]);
    const { answer: stored, replayed } = await options.idempotency.once(
      { owner, key, content },
      async (once) => toStored(definition, (await carryOut(once)) as Reply),
    );
    const headers = { ...stored.headers, ...(replayed ? { 'idempotency-replayed': 'true' } : {}) };
    return respond(context, definition, { ...stored, headers } as Reply);
  }
  const reply = await carryOut(null);
  if (!(reply instanceof Response)) return respond(context, definition, reply);
  for (const [name, value] of Object.entries(everyHeader(context))) reply.headers.set(name, value);
  return reply;
}

/** Made with plain headers: those of the context's own helpers cost more than all the rest. */
async function respond(context: Context, { success }: Endpoint, reply: Reply): Promise<Response> {
  const { incoming, outgoing } = context.env as HttpBindings;
  const status = reply.status ?? success.status;
  const headers: Record<string, string> = { ...everyHeader(context), ...reply.headers };
  if (reply.stream) {
    outgoing.writeHead(status, headers);
    outgoing.flushHeaders();
    reply.stream(outgoing as ServerResponse);
    return RESPONSE_ALREADY_SENT;
  }
  if (status === 204 || status === 304) return new Response(null, { status, headers });
  headers['content-type'] ??= 'application/json';
  const body = renderBody(reply);
  const packed = await gzipBody(body, incoming.headers['accept-encoding'] as string | undefined);
  if (packed) {
    headers['content-encoding'] = 'gzip';
    headers.vary = headers.vary ? `${headers.vary}, Accept-Encoding` : 'Accept-Encoding';
    return new Response(packed, { status, headers });
  }
  return typeof body === 'string'
    ? new Response(body, { status, headers })
    : sendPieces(context, status, headers, body);
}

function renderBody({ json, body }: Reply): string | Pieces {
  return json ?? JSON.stringify(body);
}

function toStored({ success }: Endpoint, reply: Reply): StoredAnswer {
  const { status = success.status, headers = {} } = reply;
  const body = status === 204 ? '' : renderBody(reply);
  const json = typeof body === 'string' ? body : Buffer.concat(body).toString('utf8');
  return { status, headers, json };
}

function statusOf({ env: { outgoing }, res }: Context<Env>): number {
  return outgoing.headersSent ? outgoing.statusCode : res.status;
}

/** Large bodies go out as they lie in memory: joining the pieces would cost more than all the rest. */
function sendPieces(
  context: Context,
  status: number,
  headers: Record<string, string>,
  pieces: Pieces,
): Response {
  const { outgoing } = context.env as HttpBindings;
  outgoing.writeHead(status, { ...headers, 'content-length': sizeOf(pieces) });
  for (const piece of pieces) outgoing.write(piece);
  outgoing.end();
  return RESPONSE_ALREADY_SENT;
}

/** A parameter given twice is a list. */
function queryOf({ req }: Context): JsonObject {
  const query: JsonObject = {};
  for (const [key, values] of Object.entries(req.queries())) {
    query[key] = values.length === 1 ? values[0] : values;
  }
  return query;
}

/** Given when the answer is made: adding headers to a finished one costs more than the rest of the request. */
function everyHeader(context: Context): Record<string, string> {
  const { origin } = (context.env as HttpBindings).incoming.headers;
  return {
    'x-request-id': context.get('request_id'),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(origin === undefined ? {} : crossOrigin(origin)),
  };
}

function refuse(context: Context, error: DaemonError, logger: Logger): Response {
  const { method, path } = context.req;
  const { 'access-control-allow-origin': origin, ...headers } = everyHeader(context);
  const request_id = context.get('request_id');
  const problem = problemOf(error, path, request_id);
  const level = problem.status >= 500 ? 'error' : 'info';
  logger[level]({
    request_id,
    method,
    path,
    status: problem.status,
    code: error.code,
    cause: causeOf(error),
  });
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: {
      ...headers,
      ...(origin !== undefined && error.code !== 'FORBIDDEN'
        ? { 'access-control-allow-origin': origin }
        : {}),
      'content-type': 'application/problem+json',
      ...(error.code === 'UNAUTHENTICATED' ? { 'www-authenticate': 'Bearer realm="amplifierd"' } : {}),
      ...retryAfter(error),
      ...(typeof error.members.allow === 'string' ? { allow: error.members.allow } : {}),
    },
  });
}

const TRY_AGAIN = new Set(['NOT_READY', 'OVERLOADED', 'IDEMPOTENCY_IN_FLIGHT']);

function retryAfter({ code, members }: DaemonError): Record<string, string> {
  if (typeof members.retry_after === 'number') return { 'retry-after': String(members.retry_after) };
  return TRY_AGAIN.has(code) ? { 'retry-after': '1' } : {};
}

/** Where the log should say more than the client hears. */
function causeOf({ cause, code }: DaemonError): string | undefined {
  if (cause === undefined || code === 'MALFORMED_JSON') return undefined;
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}

function missing(endpoints: readonly Endpoint[], path: string): DaemonError {
  const allowed = endpoints.filter(({ path: pattern }) => matches(pattern, path)).map(({ method }) => method);
  if (allowed.length === 0) {
    return new DaemonError('NOT_FOUND', `There is nothing at ${path}. The API is described at /docs.`);
  }
  const allow = [...new Set(allowed.map((method) => method.toUpperCase()))].join(', ');
  return new DaemonError('METHOD_NOT_ALLOWED', `${path} takes ${allow}.`, { members: { allow } });
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.replace(/\/+$/, '').split('/');
  return (
    wanted.length === given.length && wanted.every((part, at) => part.startsWith('{') || part === given[at])
  );
}

function toHonoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

function since(started: number): number {
  return Math.round((performance.now() - started) * 100) / 100;
}
