import type { ServerResponse } from 'node:http';
import { errorInfo, type JsonObject } from '@amplifier/core';
import { hasCode } from '@amplifier/sessions';
import type { Context, MiddlewareHandler } from 'hono';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { requestId } from 'hono/request-id';
import { matchedRoutes } from 'hono/route';
import type { Logger } from 'pino';
import { authenticate, checkAddress, type Env, type GateRules, isOpenPath, OWNER } from '../auth/gate.js';
import { isWithin } from '../auth/is-within.js';
import { isFromDescendant } from '../auth/own-descendant.js';
import { checkOperator, checkScope, scopeOf } from '../auth/scope.js';
import { DaemonError } from '../daemon-error.js';
import { MAX_REQUEST_ID } from '../defaults.js';
import type { Services } from '../services.js';
import { checkArrived } from './check-arrived.js';
import type { Connections } from './connections.js';
import { bodyWithQuery, type Endpoint, parsePart, type Reply } from './endpoint.js';
import type { Idempotency, Once } from './idempotency.js';
import type { LargeAnswers } from './large-answers.js';
import { refuse, toDaemonError } from './problem.js';
import { readJson, tooLarge } from './read-body.js';
import { acceptsStream, everyHeader, respond, toStored } from './respond.js';

export interface AppOptions {
  endpoints: readonly Endpoint[];
  /** Those of the operator, who sees what all tenants have. */
  services: Services;
  /** What browsers get at every address that is no operation's. */
  pages: Pages;
  rules: GateRules;
  idempotency: Idempotency;
  largeAnswers: LargeAnswers;
  connections: Connections;
  logger: Logger;
}

/** Pages for people; they hold nothing of the daemon's, so no token is asked for. */
export interface Pages {
  isPage(method: string, path: string, accept: string | undefined): boolean;
  answer(context: Context): Promise<Reply>;
}

/** The HTTP side of the daemon: gate, endpoints, refusals. Knows nothing of what the endpoints do. */
export function buildApp(options: AppOptions): Hono<Env> {
  const { endpoints, services, rules, connections, pages } = options;
  const app = new Hono<Env>({ strict: false });
  const isPage = ({ req, env, get }: Context<Env>) =>
    get('route') === undefined && pages.isPage(req.method, req.path, env.incoming.headers.accept);
  app.use(
    requestId({ limitLength: MAX_REQUEST_ID }),
    observe(options),
    checkAddress(rules),
    authenticate(rules, connections, isPage),
    limitCaller(options),
  );
  const limitBody = bodyLimited(services.config.max_body_bytes);
  for (const definition of endpoints) {
    const handle = (context: Context<Env>) => carryOut(definition, context, options);
    const handlers = definition.body ? [limitBody, handle] : [handle];
    app.on(definition.method.toUpperCase(), [toHonoPath(definition.path)], ...handlers);
  }
  const checkMethod = methodNotAllowed({
    app,
    onMethodNotAllowed: (context, methods) => refuse(context, methodRefused(context.req.path, methods)),
  });
  app.notFound(async (context) => {
    if (isPage(context)) return send(context, PAGE, await pages.answer(context), options);
    await checkMethod(context, async () => {
      context.res = refuse(context, nothingAt(context.req.path));
    });
    return context.res;
  });
  app.onError((error, context) => refuse(context, refusalOf(error, context)));
  return app;
}

/** Counts and logs each request. The figures call an address by its pattern. */
function observe({ services, logger }: AppOptions): MiddlewareHandler<Env> {
  return async (context, next) => {
    const started = performance.now();
    const { method, path } = context.req;
    const route = matchedRoutes(context).find((each) => each.path !== '/*')?.path;
    context.set('route', route);
    await next();
    const { outgoing } = context.env;
    const status = outgoing.headersSent ? outgoing.statusCode : context.res.status;
    const ms = Math.round((performance.now() - started) * 100) / 100;
    services.metrics.answered(method, route?.replace(/:(\w+)/g, '{$1}') ?? 'none', status, ms / 1_000);
    const refusal = context.get('refusal');
    const line = { request_id: context.get('requestId'), method, path, status, ms };
    if (!refusal) logger.info(line, 'request');
    else
      logger[status >= 500 ? 'error' : 'info'](
        { ...line, code: refusal.code, cause: causeOf(refusal) },
        'request',
      );
  };
}

/** Where the log should say more than the client hears. */
function causeOf({ cause, code }: DaemonError): string | undefined {
  if (cause === undefined || code === 'MALFORMED_JSON') return undefined;
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}

function limitCaller({ services: { rateLimit } }: AppOptions): MiddlewareHandler<Env> {
  return async (context, next) => {
    await refuseOwnSessions(context);
    rateLimit?.check(context.get('caller'));
    await next();
  };
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

/**
 * Refuses a body larger than allowed. Node reads no more than the announced length, so the library counts only a body without one: it
 * costs more than a small request (the bench `http`).
 */
function bodyLimited(limit: number): MiddlewareHandler<Env> {
  const counted = bodyLimit({
    maxSize: limit,
    onError: () => {
      throw tooLarge(limit);
    },
  });
  return (context, next) => {
    const { headers } = context.env.incoming;
    if (headers['transfer-encoding'] !== undefined) return counted(context, next);
    if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
    return next();
  };
}

/** One of the endpoints, as the caller has it, with its line in the audit. */
async function carryOut(definition: Endpoint, context: Context<Env>, options: AppOptions): Promise<Response> {
  const caller = context.get('caller');
  const { tenant } = caller;
  // What is open to everybody asks for nobody in particular: a link may be that of another.
  const isOpen = isOpenPath(context.req.path);
  const services = tenant === undefined || isOpen ? options.services : options.services.of(tenant);
  checkScope(caller, scopeOf(definition));
  checkOperator(caller, definition);
  const session_id = context.req.param('session_id');
  if (
    services !== options.services &&
    session_id !== undefined &&
    !(await hasSession(services.store, session_id))
  )
    throw new DaemonError(
      'SESSION_NOT_FOUND',
      `There is no session ${session_id}. It may have been deleted. GET /api/v1/sessions lists the sessions.`,
    );
  const work = () => answer(definition, context, services, options);
  // What is open to anyone must not let anyone fill the audit.
  const { home, audit } = options.services;
  if (home.isUsers || definition.method === 'get' || isOpen) return work();
  const line = { operation: `${context.req.method} ${definition.path}`, target: context.req.path };
  const durability = definition.recordOnly ? 'process' : 'disk';
  return audit.during(caller, line, work, (ended) => statusOf(ended, context), durability);
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

/** An id that cannot be one is for the endpoint to refuse. */
function hasSession(store: Services['store'], session_id: string): Promise<boolean> {
  return store.has(session_id).catch((error) => {
    if (hasCode(error, 'INVALID_SESSION_ID')) return true;
    throw error;
  });
}

function nothingAt(path: string): DaemonError {
  return new DaemonError('NOT_FOUND', `There is nothing at ${path}. The API is described at /docs.`);
}

function methodRefused(path: string, methods: readonly string[]): DaemonError {
  const allow = methods.toSorted().join(', ');
  return new DaemonError('METHOD_NOT_ALLOWED', `${path} takes ${allow}.`, { members: { allow } });
}

async function answer(
  definition: Endpoint,
  context: Context<Env>,
  services: Services,
  options: AppOptions,
): Promise<Response> {
  const { req } = context;
  const caller = context.get('caller');
  await checkShared(definition, context, options);
  const query = definition.query
    ? (parsePart(definition.query, queryOf(context), 'query') as JsonObject)
    : {};
  const given = definition.body ? await readJson(req) : {};
  const call = {
    params: definition.params ? parsePart(definition.params, req.param(), 'path') : {},
    query,
    body: definition.body ? parsePart(definition.body, bodyWithQuery(definition, query, given), 'body') : {},
    context,
    caller,
    services,
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
  { services: { clock }, logger }: AppOptions,
): Response | Promise<Response> {
  const onFailure = (error: unknown) => {
    const { message } = errorInfo(error);
    logger.error({ request_id: context.get('requestId'), path: context.req.path, error: message }, 'answer');
  };
  return respond(context, definition, reply, { clock, onFailure });
}

/** A shared link reads one tree. What does not say that it may be shared is not. */
async function checkShared(
  { shared }: Endpoint,
  context: Context<Env>,
  { services }: AppOptions,
): Promise<void> {
  const top = context.get('caller').browser?.shared_session ?? null;
  if (top === null) return;
  const session_id = context.req.param('session_id');
  if (shared && (session_id === undefined || (await isWithin(services.store, session_id, top)))) return;
  throw new DaemonError('INSUFFICIENT_SCOPE', `This link shows only session ${top} and its descendants.`, {
    members: { scope: 'read' },
  });
}

/** What answers with a page. */
const PAGE = { success: { status: 200, description: 'A page.' } } as Endpoint;

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
