import { randomUUID, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { DaemonError } from '../daemon-error.js';
import { cookieCaller, cookieOf } from './cookie-caller.js';
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
export const ANYBODY: Caller = { id: 'anybody', account: 'anybody', scope: 'read' };
const BEARER = /^bearer ([^ ]+)/i;
const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

export function requestId(given: string | undefined): string {
  return given !== undefined && REQUEST_ID.test(given) ? given : randomUUID();
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
export function checkSingleHeaders(rawHeaders: readonly string[]): void {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase();
    if (!SINGLE.has(name)) continue;
    if (seen.has(name))
      throw new DaemonError('REPEATED_HEADER', `The request has two headers ${name}. Send one.`);
    seen.add(name);
  }
}

export function checkHost(host: string | undefined, { allowed_hosts }: GateRules): void {
  const name = hostName(host ?? '');
  if (name !== null && allowed_hosts.includes(name)) return;
  throw new DaemonError(
    'FORBIDDEN',
    `The daemon does not answer to the host name ${JSON.stringify(host ?? '')}. Add it to allowed_hosts if it is yours.`,
  );
}

/** Browsers say where a page came from; only listed origins and the daemon's own pages may call. */
export function checkOrigin(
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

/**
 * Health is open so that supervisors need no secret; pages are open because they hold nothing of the daemon's. The library's check
 * knows one token, and neither scopes nor who is signed in by a cookie.
 */
export async function checkToken(
  path: string,
  request: IncomingMessage,
  rules: GateRules,
  isPage: boolean,
): Promise<Caller> {
  const { authorization } = request.headers;
  const isOpen = isOpenPath(path);
  const caller = await (authorization
    ? findCaller(authorization, rules)
    : cookieCaller(request, rules, isOpen));
  if (caller) return caller;
  if (isPage || isOpen) return ANYBODY;
  throw new DaemonError(
    'UNAUTHENTICATED',
    'Send the header "Authorization: Bearer <token>" (`amplifierd token` or, for `amplifier serve`, `amplifier serve token` prints it), or sign in with the link of `amplifier web`.',
  );
}

/** Is it for everybody, however many slashes follow? No pattern is run over a long path of somebody nobody knows. */
export function isOpenPath(path: string): boolean {
  return OPEN_PATHS.has(path.length > 1 && path.length < 64 ? path.replace(/\/+$/, '') : path);
}

/** Does what the request came with still count? */
export async function isStillAllowed({ headers }: IncomingMessage, rules: GateRules): Promise<boolean> {
  const cookie = headers.authorization ? null : cookieOf(headers);
  const found = cookie === null ? findCaller(headers.authorization, rules) : rules.findBrowser(cookie);
  return (await found) !== null;
}

async function findCaller(authorization: string | undefined, rules: GateRules): Promise<Caller | null> {
  const given = BEARER.exec(authorization ?? '')?.[1];
  if (given === undefined) return null;
  return sameBytes(Buffer.from(given), rules.token) ? OWNER : rules.findToken(given);
}

/** Takes the same time wherever the bytes differ. How long the token is, is no secret. */
function sameBytes(given: Uint8Array, wanted: Uint8Array): boolean {
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function hostName(host: string): string | null {
  const match = /^(\[[0-9a-f:.]+\]|[^:/?#@\s]+)(:\d{1,5})?$/i.exec(host);
  return match?.[1]?.toLowerCase() ?? null;
}
