import type { IncomingMessage } from 'node:http';
import { serialize } from 'hono/utils/cookie';
import { cookieName } from '../http/cookie-caller.js';

/** The header that signs a browser in until then, or, without a token, out. */
export function setCookie({ headers }: IncomingMessage, tls: boolean, token = '', expires_at?: string) {
  const lasts = expires_at === undefined ? { maxAge: 0 } : { expires: new Date(expires_at) };
  const kept = { path: '/', httpOnly: true, sameSite: 'Strict', secure: tls } as const;
  return serialize(cookieName(headers.host), token, { ...kept, ...lasts });
}
