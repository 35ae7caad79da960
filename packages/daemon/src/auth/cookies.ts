import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parse, serialize } from 'hono/utils/cookie';
import { DaemonError } from '../daemon-error.js';

/** The header that a page of ours sends with whatever changes something: no form and no foreign page can. */
const CSRF_HEADER = 'x-amplifier-csrf';

/** Cookies are shared by all ports of a host, so each daemon has a name of its own there. */
function cookieName(host: string | undefined): string {
  const port = /:(\d+)$/.exec(host ?? '')?.[1];
  return port === undefined ? 'amplifier' : `amplifier_${port}`;
}

export function cookieOf({ cookie, host }: IncomingHttpHeaders): string | null {
  const name = cookieName(host);
  return cookie === undefined ? null : (parse(cookie, name)[name] ?? null);
}

/**
 * May the cookie of a request be used? Not if a page of another origin asks: a cookie goes along without the page's doing. Throws for
 * a change that a page of ours has not asked for. A plain form, which `isForm` allows, cannot send the header. The library's check
 * covers forms alone, and refuses programs that send no content type.
 */
export function mayUseCookie({ method, headers }: IncomingMessage, isForm: boolean): boolean {
  const { origin, host } = headers;
  const isOwn = origin === `http://${host}` || origin === `https://${host}`;
  if (method === 'GET' || method === 'HEAD') return origin === undefined || isOwn;
  if (isOwn && (isForm || headers[CSRF_HEADER] === '1')) return true;
  throw new DaemonError(
    'FORBIDDEN',
    `A cookie request that changes something must come from the daemon’s own page, with the header "${CSRF_HEADER}: 1".`,
  );
}

/** The header that signs a browser in until then, or, without a token, out. */
export function setCookie({ headers }: IncomingMessage, tls: boolean, token = '', expires_at?: string) {
  const lasts = expires_at === undefined ? { maxAge: 0 } : { expires: new Date(expires_at) };
  const kept = { path: '/', httpOnly: true, sameSite: 'Strict', secure: tls } as const;
  return serialize(cookieName(headers.host), token, { ...kept, ...lasts });
}
