import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parse } from 'hono/utils/cookie';
import { DaemonError } from '../daemon-error.js';
import type { Caller } from './scope.js';

/** The header that a page of ours sends with whatever changes something: no form and no foreign page can. */
const CSRF_HEADER = 'x-amplifier-csrf';

/** Cookies are shared by all ports of a host, so each daemon has a name of its own there. */
export function cookieName(host: string | undefined): string {
  const port = /:(\d+)$/.exec(host ?? '')?.[1];
  return port === undefined ? 'amplifier' : `amplifier_${port}`;
}

export function cookieOf({ cookie, host }: IncomingHttpHeaders): string | null {
  const name = cookieName(host);
  return cookie === undefined ? null : (parse(cookie, name)[name] ?? null);
}

/**
 * Who is signed in. Null where nobody is, or where a page of another origin asks: a cookie goes along without the page's doing.
 * Throws for a change that a page of ours has not asked for. A plain form, which `isForm` allows, cannot send the header.
 */
export async function cookieCaller(
  { method, headers }: IncomingMessage,
  { findBrowser }: { findBrowser(cookie: string): Promise<Caller | null> },
  isForm: boolean,
): Promise<Caller | null> {
  const cookie = cookieOf(headers);
  const caller = cookie === null ? null : await findBrowser(cookie);
  if (!caller) return null;
  const { origin, host } = headers;
  const isOwn = origin === `http://${host}` || origin === `https://${host}`;
  if (method === 'GET' || method === 'HEAD') return origin === undefined || isOwn ? caller : null;
  if (isOwn && (isForm || headers[CSRF_HEADER] === '1')) return caller;
  throw new DaemonError(
    'FORBIDDEN',
    `A cookie request that changes something must come from the daemon’s own page, with the header "${CSRF_HEADER}: 1".`,
  );
}
