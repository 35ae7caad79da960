import { timingSafeEqual } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { cors } from 'hono/cors';
import { DaemonError } from '../daemon-error.js';
import type { Connections } from '../http/connections.js';
import { cookieOf, mayUseCookie } from './cookies.js';
import type { Caller } from './scope.js';

/** Who may talk to the daemon. */
export interface GateRules {
  /** The bytes of the daemon's own token, which may do everything. */
  token: Uint8Array;
  /** Whose scoped token this is. */
  findToken(token: string): Promise<Caller | null>;
  /** Who is signed in by a cookie. */
  findBrowser(cookie: string): Promise<Caller | null>;
  /** Names the daemon may be addressed by, without port. Everything else is a page that rebinds its own name to us. */
  allowed_hosts: readonly string[];
  /** Exact origins of web apps that may call from a browser. */
  allowed_origins: readonly string[];
}

/** What the handlers of a request know of it. */
export interface Env {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** The pattern of the address, if it is one of the API. */
    route: string | undefined;
    caller: Caller;
    /** Is the token of the request still valid? For responses that last. */
    isAllowed: () => Promise<boolean>;
    /** Why the request was refused, for the log. */
    refusal: DaemonError | undefined;
  };
}

const OPEN_PATHS = new Set([
  '/healthz',
  '/readyz',
  '/sign-in',
  '/shared',
  '/docs',
  '/docs/page.js',
  '/docs/page.css',
]);
export const OWNER: Caller = { id: 'owner', account: 'owner', scope: 'admin' };
const ANYBODY: Caller = { id: 'anybody', account: 'anybody', scope: 'read' };

/** Checks by which name the daemon is called and which page calls. Answers what a browser asks before it sends a request. */
export function checkAddress(rules: GateRules): MiddlewareHandler<Env> {
  // Every origin that comes this far is allowed. The library costs more than a small request, so it runs where there is an origin
  // (the bench `http`). Credentials are never involved: the token is a header.
  const crossOrigin = cors({
    origin: (origin) => origin,
    allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
      'Last-Event-ID',
      'X-Request-Id',
    ],
    exposeHeaders: [
      'Location',
      'Link',
      'ETag',
      'Idempotency-Replayed',
      'Retry-After',
      'X-Feed-Position',
      'X-Has-More',
      'X-Next-Cursor',
      'X-Request-Id',
    ],
    maxAge: 600,
  });
  return (context, next) => {
    // Node has parsed these already; asking the request for them would make a second set of all headers.
    const { rawHeaders, headers } = context.env.incoming;
    checkSingleHeaders(rawHeaders);
    checkHost(headers.host, rules);
    checkOrigin(headers.origin, headers.host, rules);
    return headers.origin === undefined ? next() : crossOrigin(context, next);
  };
}

/**
 * Finds out who asks: by a bearer token, else by a cookie. Refuses everybody else, except at open addresses: health is open so that
 * supervisors need no secret, pages because they hold nothing of the daemon's.
 */
export function authenticate(
  rules: GateRules,
  connections: Connections,
  isPage: (context: Context<Env>) => boolean,
): MiddlewareHandler<Env> {
  const admit = async (
    context: Context<Env>,
    find: () => Promise<Caller | null>,
    isAllowed = () => true,
  ): Promise<boolean> => {
    const caller = await find();
    if (!caller || !isAllowed()) return false;
    connections.recognize(context.env.incoming.socket);
    context.set('caller', caller);
    context.set('isAllowed', async () => (await find()) !== null);
    return true;
  };
  const bearer = bearerAuth<Env>({
    verifyToken: (token, context) => admit(context, () => findCaller(token, rules)),
    noAuthenticationHeader: { message: refuseUnknown },
    invalidAuthenticationHeader: { message: refuseUnknown },
    invalidToken: { message: refuseUnknown },
  });
  return async (context, next) => {
    const { incoming } = context.env;
    const isOpen = isOpenPath(context.req.path) || isPage(context);
    context.set('caller', ANYBODY);
    context.set('isAllowed', async () => false);
    if (incoming.headers.authorization) {
      if (!isOpen) return bearer(context, next);
      // An open address also answers a request with an invalid token.
      await bearer(context, async () => {}).catch(() => {});
    } else {
      const cookie = cookieOf(incoming.headers);
      const find = async () => (cookie === null ? null : rules.findBrowser(cookie));
      const isKnown = await admit(context, find, () => mayUseCookie(incoming, isOpen));
      if (!isKnown && !isOpen) refuseUnknown();
    }
    await next();
  };
}

/** Is it open to everybody, however many slashes follow? No pattern is run over a long path of an unknown client. */
export function isOpenPath(path: string): boolean {
  return OPEN_PATHS.has(path.length > 1 && path.length < 64 ? path.replace(/\/+$/, '') : path);
}

function refuseUnknown(): never {
  throw new DaemonError(
    'UNAUTHENTICATED',
    'Send the header "Authorization: Bearer <token>" (`amplifierd token` or, for `amplifier serve`, `amplifier serve token` prints it), or sign in with the link of `amplifier web`.',
  );
}

async function findCaller(token: string, rules: GateRules): Promise<Caller | null> {
  return sameBytes(Buffer.from(token), rules.token) ? OWNER : rules.findToken(token);
}

/** Takes the same time wherever the bytes differ. How long the token is, is no secret. */
function sameBytes(given: Uint8Array, wanted: Uint8Array): boolean {
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** Two of one of these would let a proxy in front and this daemon read different requests. */
const SINGLE = new Set([
  'host',
  'origin',
  'authorization',
  'content-length',
  'content-type',
  'sec-fetch-site',
  'x-amplifier-csrf',
]);

/** Node drops all but the first of most of them, so only the headers as they were sent show a second one. */
function checkSingleHeaders(rawHeaders: readonly string[]): void {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase();
    if (!SINGLE.has(name)) continue;
    if (seen.has(name))
      throw new DaemonError('REPEATED_HEADER', `The request has two headers ${name}. Send one.`);
    seen.add(name);
  }
}

function checkHost(host: string | undefined, { allowed_hosts }: GateRules): void {
  const name = hostName(host ?? '');
  if (name !== null && allowed_hosts.includes(name)) return;
  throw new DaemonError(
    'FORBIDDEN',
    `The daemon does not answer to the host name ${JSON.stringify(host ?? '')}. Add it to allowed_hosts if it is yours.`,
  );
}

/** Browsers say where a page came from; only listed origins and the daemon's own pages may call. */
function checkOrigin(
  origin: string | undefined,
  host: string | undefined,
  { allowed_origins }: GateRules,
): void {
  if (origin === undefined || allowed_origins.includes(origin)) return;
  if (origin === `http://${host}` || origin === `https://${host}`) return;
  throw new DaemonError(
    'FORBIDDEN',
    `Pages of ${JSON.stringify(origin)} may not call this daemon. Add the origin to allowed_origins if it is yours.`,
  );
}

function hostName(host: string): string | null {
  const match = /^(\[[0-9a-f:.]+\]|[^:/?#@\s]+)(:\d{1,5})?$/i.exec(host);
  return match?.[1]?.toLowerCase() ?? null;
}
