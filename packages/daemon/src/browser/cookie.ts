import type { IncomingMessage } from 'node:http';
import { cookieName } from '../http/cookie-caller.js';

/** The header that signs a browser in. */
export function setCookie({ headers }: IncomingMessage, token: string, expires_at: string, tls: boolean) {
  return cookie(headers.host, token, `Expires=${new Date(expires_at).toUTCString()}`, tls);
}

/** The header that signs it out. */
export function dropCookie({ headers }: IncomingMessage, tls: boolean): string {
  return cookie(headers.host, '', 'Max-Age=0', tls);
}

function cookie(host: string | undefined, value: string, lasts: string, tls: boolean): string {
  const secure = tls ? '; Secure' : '';
  return `${cookieName(host)}=${value}; Path=/; ${lasts}; HttpOnly; SameSite=Strict${secure}`;
}
