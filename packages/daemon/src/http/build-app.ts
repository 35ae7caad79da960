import type { JsonObject } from '@amplifier/core';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { Hono } from 'hono';
import type { Logger } from 'pino';
import { DaemonError } from '../daemon-error.js';
import { AddressRouter } from './address-router.js';
import { preflight } from './cross-origin.js';
import { bodyWithQuery, type Endpoint, parsePart, type Reply } from './endpoint.js';
import {
  checkHost,
  checkOrigin,
  checkToken,
  type GateRules,
  isKnownToken,
  OWNER,
  requestId,
} from './gate.js';
import type { Idempotency, Once } from './idempotency.js';
import type { Metrics } from './metrics.js';
import { isFromDescendant } from './own-descendant.js';
import { toDaemonError } from './problem.js';
import type { RateLimit } from './rate-limit.js';
import { readJson } from './read-body.js';
import { missing, refuse } from './refuse.js';
import { everyHeader, respond, toStored } from './respond.js';
import { type Caller, checkScope, scopeOf } from './scope.js';

export interface AppOptions {
  endpoints: readonly Endpoint[];
  /** Addresses behind the same gate for which handlers are added later. */
  gated: readonly string[];
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
  /** Does the token of the request still count? For answers that go on long after it was checked. */
  isAllowed: () => boolean;
}

type Env = { Bindings: HttpBindings; Variables: Variables };

/**
 * The HTTP side of the daemon: gate, endpoints, refusals. Knows nothing of what the endpoints do. A request to one of them has
 * one handler and not a chain: the library then asks it directly.
 */
export function buildApp(options: AppOptions): Hono<Env> {
  const router = new AddressRouter<never>();
  const app = new Hono<Env>({ strict: false, router });
  for (const definition of options.endpoints) {
    app.on(definition.method.toUpperCase(), toHonoPath(definition.path), (context) =>
      serve(context, definition.path, options, () => answer(definition, context, options)),
    );
  }
  for (const path of options.gated) {
    app.use(path, (context, next) =>
      serve(context, path, options, async () => {
        await next();
        return context.res;
      }),
    );
  }
  app.notFound((context) =>
    serve(context, 'none', options, () => {
      throw missing(context.req.path, router.methods(context.req.path));
    }),
  );
  app.onError((error, context) => refuse(context, toDaemonError(error), options.logger));
  return app;
}

/** Lets a request in, and counts and logs what became of it. `route` is what the figures call its address. */
async function serve(
  context: Context<Env>,
  route: string,
  { rules, rateLimit, metrics, logger }: AppOptions,
  work: () => Promise<Response>,
): Promise<Response> {
  const started = performance.now();
  const { method, path } = context.req;
  let response: Response;
  let hasLine = false;
  try {
    const early = enter(context, rules);
    if (!early) await refuseOwnSessions(context);
    if (!early && rateLimit) await rateLimit(context.get('caller'));
    response = early ?? (await work());
  } catch (error) {
    response = refuse(context, toDaemonError(error), logger);
    hasLine = true;
  }
  const { outgoing } = context.env;
  const status = outgoing.headersSent ? outgoing.statusCode : response.status;
  const ms = Math.round((performance.now() - started) * 100) / 100;
  metrics.answered(method, route, status, ms / 1_000);
  if (!hasLine && !context.error)
    logger.info({ request_id: context.get('request_id'), method, path, status, ms }, 'request');
  return response;
}

/** Finds out who asks, or throws the refusal. What a browser asks before it sends a request is answered here. */
function enter(context: Context<Env>, rules: GateRules): Response | null {
  // Node has parsed these already; asking the request for them would make a second set of all headers.
  const { host, origin, authorization, 'x-request-id': given } = context.env.incoming.headers;
  context.set('request_id', requestId(typeof given === 'string' ? given : undefined));
  checkHost(host, rules);
  checkOrigin(origin, host, rules);
  if (context.req.method === 'OPTIONS' && origin !== undefined) return preflight(origin);
  context.set('caller', checkToken(context.req.path, authorization, rules));
  context.set('isAllowed', () => isKnownToken(authorization, rules));
  return null;
}

/** The daemon's own token is the operator's. A command of a session that has got hold of it gets nowhere with it. */
async function refuseOwnSessions(context: Context<Env>): Promise<void> {
  if (context.get('caller') !== OWNER || !(await isFromDescendant(context.env.incoming.socket))) return;
  throw new DaemonError(
    'FORBIDDEN',
    "The daemon's own token is not taken from what the daemon started itself. Make one for it with `amplifierd token create --scope run`.",
  );
}

async function answer(definition: Endpoint, context: Context<Env>, options: AppOptions): Promise<Response> {
  const { req } = context;
  const caller = context.get('caller');
  checkScope(caller, scopeOf(definition));
  const query = definition.query
    ? (parsePart(definition.query, queryOf(context), 'query') as JsonObject)
    : {};
  const given = definition.body ? await readJson(req, options.max_body_bytes) : {};
  const call = {
    params: definition.params ? parsePart(definition.params, req.param(), 'path') : {},
    query,
    body: definition.body ? parsePart(definition.body, bodyWithQuery(definition, query, given), 'body') : {},
    context,
    caller,
    once: null as Once | null,
  };
  const key = definition.idempotent ? req.header('idempotency-key') : undefined;
  if (key !== undefined) {
    const owner = `${caller.id} ${req.method} ${req.path}`;
    const content = JSON.stringify([call.query, call.body]);
    const { answer: stored, replayed } = await options.idempotency.once(
      { owner, key, content },
      async (once) => toStored(definition, (await definition.handle({ ...call, once } as never)) as Reply),
    );
    const headers = { ...stored.headers, ...(replayed ? { 'idempotency-replayed': 'true' } : {}) };
    return respond(context, definition, { ...stored, headers } as Reply);
  }
  const reply = await definition.handle(call as never);
  if (!(reply instanceof Response)) return respond(context, definition, reply);
  for (const [name, value] of Object.entries(everyHeader(context))) reply.headers.set(name, value);
  return reply;
}

/** A parameter given twice is a list. */
function queryOf({ req }: Context): JsonObject {
  const query: JsonObject = {};
  for (const [key, values] of Object.entries(req.queries())) {
    query[key] = values.length === 1 ? values[0] : values;
  }
  return query;
}

function toHonoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}
