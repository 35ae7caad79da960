import type { JsonObject } from '@amplifier/core';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { Hono } from 'hono';
import type { Logger } from 'pino';
import { type Pieces, sizeOf } from '../byte-cache.js';
import { DaemonError } from '../daemon-error.js';
import { crossOrigin, preflight } from './cross-origin.js';
import { type Endpoint, parsePart, type Reply } from './endpoint.js';
import { checkHost, checkOrigin, checkToken, type GateRules, requestId } from './gate.js';
import { problemOf, toDaemonError } from './problem.js';
import { readJson } from './read-body.js';

export interface AppOptions {
  endpoints: readonly Endpoint[];
  rules: GateRules;
  max_body_bytes: number;
  logger: Logger;
}

type Env = { Bindings: HttpBindings; Variables: { request_id: string } };

/** The HTTP side of the daemon: gate, endpoints, refusals. Knows nothing of what the endpoints do. */
export function buildApp({ endpoints, rules, max_body_bytes, logger }: AppOptions): Hono<Env> {
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
    checkToken(req.path, authorization, rules);
    await next();
    if (context.error) return; // The refusal has its own line.
    logger.info(
      { request_id, method: req.method, path: req.path, status: statusOf(context), ms: since(started) },
      'request',
    );
  });
  for (const definition of endpoints) {
    app.on(definition.method.toUpperCase(), toHonoPath(definition.path), (context) =>
      answer(definition, context, max_body_bytes),
    );
  }
  app.notFound((context) => refuse(context, missing(endpoints, context.req.path), logger));
  app.onError((error, context) => refuse(context, toDaemonError(error), logger));
  return app;
}

async function answer(definition: Endpoint, context: Context, limit: number): Promise<Response> {
  const { req } = context;
  const call = {
    params: definition.params ? parsePart(definition.params, req.param(), 'path') : {},
    query: definition.query ? parsePart(definition.query, queryOf(context), 'query') : {},
    body: definition.body ? parsePart(definition.body, await readJson(req, limit), 'body') : {},
    context,
  };
  const reply = await definition.handle(call as never);
  if (!(reply instanceof Response)) return respond(context, definition, reply);
  for (const [name, value] of Object.entries(everyHeader(context))) reply.headers.set(name, value);
  return reply;
}

/** Made with plain headers: those of the context's own helpers cost more than all the rest. */
function respond(context: Context, { success }: Endpoint, reply: Reply): Response {
  const status = reply.status ?? success.status;
  const headers: Record<string, string> = { ...everyHeader(context), ...reply.headers };
  if (status === 204 || status === 304) return new Response(null, { status, headers });
  headers['content-type'] ??= 'application/json';
  if (typeof reply.json === 'object') return sendPieces(context, status, headers, reply.json);
  return new Response(reply.json ?? JSON.stringify(reply.body), { status, headers });
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
      ...(error.code === 'NOT_READY' ? { 'retry-after': '1' } : {}),
      ...(typeof error.members.allow === 'string' ? { allow: error.members.allow } : {}),
    },
  });
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
