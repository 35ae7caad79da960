import type { ServerResponse } from 'node:http';
import { type Clock, errorInfo, type JsonObject } from '@amplifier/core';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { Hono } from 'hono';
import type { Logger } from 'pino';
import { DaemonError } from '../daemon-error.js';
import type { Audit } from '../tenants/audit.js';
import { checkArrived } from './check-arrived.js';
import type { Connections } from './connections.js';
import { preflight } from './cross-origin.js';
import { bodyWithQuery, type Endpoint, parsePart, type Reply } from './endpoint.js';
import {
  ANYBODY,
  checkHost,
  checkOrigin,
  checkSingleHeaders,
  checkToken,
  type GateRules,
  isOpenPath,
  isStillAllowed,
  OWNER,
  requestId,
} from './gate.js';
import type { Idempotency, Once } from './idempotency.js';
import type { LargeAnswers } from './large-answers.js';
import type { Metrics } from './metrics.js';
import { isFromDescendant } from './own-descendant.js';
import { toDaemonError } from './problem.js';
import type { RateLimit } from './rate-limit.js';
import { readJson } from './read-body.js';
import { missing, refuse } from './refuse.js';
import { acceptsStream, everyHeader, respond, toStored } from './respond.js';
import { type Caller, checkOperator, checkScope, scopeOf } from './scope.js';

export interface AppOptions {
  endpoints: readonly Endpoint[];
  /** The same endpoints for a tenant, to whom nothing of others is there, and whether a session is that tenant's. */
  tenant(name: string): { endpoints: readonly Endpoint[]; has(session_id: string): Promise<boolean> };
  /** Where it is written who changed what; null where there is one user. */
  audit: Audit | null;
  /** What browsers get at every address that is no operation's. */
  pages: Pages;
  /** Is a session the other one, or below it? */
  isWithin(session_id: string, top: string): Promise<boolean>;
  /** Addresses behind the same gate for which handlers are added later. */
  gated: readonly string[];
  rules: GateRules;
  max_body_bytes: number;
  rateLimit: RateLimit | null;
  idempotency: Idempotency;
  largeAnswers: LargeAnswers;
  connections: Connections;
  metrics: Metrics;
  clock: Clock;
  logger: Logger;
}

/** Pages for people; they hold nothing of the daemon's, so no token is asked for. */
export interface Pages {
  isPage(method: string, path: string, accept: string | undefined): boolean;
  answer(context: Context): Promise<Reply>;
}

interface Variables {
  request_id: string;
  caller: Caller;
  /** Does the token of the request still count? For answers that go on long after it was checked. */
  isAllowed: () => Promise<boolean>;
}

type Env = { Bindings: HttpBindings; Variables: Variables };

/**
 * The HTTP side of the daemon: gate, endpoints, refusals. Knows nothing of what the endpoints do. A request to one of them has
 * one handler and not a chain: the library then asks it directly.
 */
export function buildApp(options: AppOptions): Hono<Env> {
  const app = new Hono<Env>({ strict: false });
  for (const [at, definition] of options.endpoints.entries()) {
    app.on(definition.method.toUpperCase(), toHonoPath(definition.path), (context) =>
      serve(context, definition.path, options, () => carryOut(at, context, options)),
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
  app.notFound((context) => {
    const methods = METHODS.filter((method) => app.router.match(method, context.req.path)[0].length > 0);
    const isPage = methods.length === 0 && isForPages(context, options);
    const work = async () => {
      if (!isPage) throw missing(context.req.path, methods);
      return send(context, PAGE, await options.pages.answer(context), options);
    };
    return serve(context, 'none', options, work, isPage);
  });
  app.onError((error, context) => refuse(context, refusalOf(error, context), options.logger));
  return app;
}

/** Lets a request in, and counts and logs what became of it. `route` is what the figures call its address. */
async function serve(
  context: Context<Env>,
  route: string,
  options: AppOptions,
  work: () => Promise<Response>,
  isPage = false,
): Promise<Response> {
  const { rateLimit, metrics, logger } = options;
  const started = performance.now();
  const { method, path } = context.req;
  let response: Response;
  let hasLine = false;
  try {
    const early = await enter(context, options, isPage);
    if (!early) await refuseOwnSessions(context);
    if (!early && rateLimit) await rateLimit(context.get('caller'));
    response = early ?? (await work());
  } catch (error) {
    response = refuse(context, refusalOf(error, context), logger);
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
async function enter(
  context: Context<Env>,
  { rules, connections }: AppOptions,
  isPage: boolean,
): Promise<Response | null> {
  const { incoming } = context.env;
  // Node has parsed these already; asking the request for them would make a second set of all headers.
  const { host, origin, 'x-request-id': given } = incoming.headers;
  context.set('request_id', requestId(typeof given === 'string' ? given : undefined));
  checkSingleHeaders(incoming.rawHeaders);
  checkHost(host, rules);
  checkOrigin(origin, host, rules);
  if (context.req.method === 'OPTIONS' && origin !== undefined) return preflight(origin);
  const caller = await checkToken(context.req.path, incoming, rules, isPage);
  if (caller !== ANYBODY) connections.recognize(incoming.socket);
  context.set('caller', caller);
  context.set('isAllowed', () => isStillAllowed(incoming, rules));
  return null;
}

/** The daemon's own token is the operator's. A command of a session that has got hold of it gets nowhere with it. */
async function refuseOwnSessions(context: Context<Env>): Promise<void> {
  const caller = context.get('caller');
  const isOperator = caller === OWNER || caller.browser !== undefined;
  if (!isOperator || !(await isFromDescendant(context.env.incoming.socket))) return;
  throw new DaemonError(
    'FORBIDDEN',
    'The daemon does not accept its own token, or a browser’s cookie, from processes that it started. Create a token for them with `amplifierd token create --scope run`.',
  );
}

/** One of the endpoints, as the caller has it, with its line in the audit. */
async function carryOut(at: number, context: Context<Env>, options: AppOptions): Promise<Response> {
  const caller = context.get('caller');
  const { tenant } = caller;
  // What is open to everybody asks for nobody in particular: a link may be that of another.
  const own = tenant === undefined || isOpenPath(context.req.path) ? null : options.tenant(tenant);
  const definition = (own ?? options).endpoints[at] as Endpoint;
  checkScope(caller, scopeOf(definition));
  checkOperator(caller, definition);
  const session_id = context.req.param('session_id');
  if (own && session_id !== undefined && !(await own.has(session_id)))
    throw new DaemonError(
      'SESSION_NOT_FOUND',
      `There is no session ${session_id}. It may have been deleted. GET /api/v1/sessions lists the sessions.`,
    );
  const work = () => answer(definition, context, options);
  // What is open to anyone must not let anyone fill the audit.
  if (options.audit === null || definition.method === 'get' || isOpenPath(context.req.path)) return work();
  const line = { operation: `${context.req.method} ${definition.path}`, target: context.req.path };
  const durability = definition.recordOnly ? 'process' : 'disk';
  return options.audit.during(caller, line, work, (ended) => statusOf(ended, context), durability);
}

function statusOf(ended: { value: Response } | { error: unknown }, context: Context<Env>): number {
  if ('error' in ended) return refusalOf(ended.error, context).status;
  const { env } = context;
  return env.outgoing.headersSent ? env.outgoing.statusCode : ended.value.status;
}

/** What went wrong. A client that leaves before its body has arrived is no failure of the daemon. */
function refusalOf(error: unknown, { env }: Context<Env>): DaemonError {
  try {
    checkArrived(env.incoming);
    return toDaemonError(error);
  } catch (left) {
    return toDaemonError(left);
  }
}

async function answer(definition: Endpoint, context: Context<Env>, options: AppOptions): Promise<Response> {
  const { req } = context;
  const caller = context.get('caller');
  await checkShared(definition, context, options);
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
    return send(context, definition, { ...stored, headers } as Reply, options);
  }
  if (definition.large && !acceptsStream(context))
    await options.largeAnswers.enter(caller, definition.large, context.env.outgoing as ServerResponse);
  const reply = await definition.handle(call as never);
  if (!(reply instanceof Response)) return send(context, definition, reply, options);
  for (const [name, value] of Object.entries(everyHeader(context))) reply.headers.set(name, value);
  return reply;
}

function send(
  context: Context<Env>,
  definition: Endpoint,
  reply: Reply,
  { clock, logger }: AppOptions,
): Response | Promise<Response> {
  const onFailure = (error: unknown) => {
    const { message } = errorInfo(error);
    logger.error({ request_id: context.get('request_id'), path: context.req.path, error: message }, 'answer');
  };
  return respond(context, definition, reply, { clock, onFailure });
}

/** A shared link reads one tree. What does not say that it may be shared is not. */
async function checkShared(
  { shared }: Endpoint,
  context: Context<Env>,
  { isWithin }: AppOptions,
): Promise<void> {
  const top = context.get('caller').browser?.shared_session ?? null;
  if (top === null) return;
  const session_id = context.req.param('session_id');
  if (shared && (session_id === undefined || (await isWithin(session_id, top)))) return;
  throw new DaemonError('INSUFFICIENT_SCOPE', `This link shows only session ${top} and its descendants.`, {
    members: { scope: 'read' },
  });
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** What answers with a page. */
const PAGE = { success: { status: 200, description: 'A page.' } } as Endpoint;

function isForPages({ req, env }: Context<Env>, { pages }: AppOptions): boolean {
  return pages.isPage(req.method, req.path, env.incoming.headers.accept);
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
