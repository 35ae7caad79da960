import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { setCookie } from '../auth/cookies.js';
import { OWNER } from '../auth/gate.js';
import { type Caller, checkScope, SCOPES } from '../auth/scope.js';
import type { SignIn } from '../auth/sign-in-links.js';
import { DaemonError } from '../daemon-error.js';
import { BROWSER_SESSION_MS } from '../defaults.js';
import { type Endpoint, endpoints, type Reply, z } from '../http/endpoint.js';
import type { Services } from '../services.js';
import { confirmPage, page } from './web-pages.js';

const api = endpoints({ tag: 'browser' });
const ScopeName = z.enum(SCOPES);
const time = z.string().openapi({ format: 'date-time' });

/** How a person gets in without pasting a token, and out again. */
export function signInEndpoints(): Endpoint[] {
  return [
    api.post('/api/v1/sign-in/links', {
      summary: 'Create a link that signs in a browser once, within a minute',
      description:
        '`amplifier web` opens this link. The browser gets no more rights than the token that creates it, and its requests and runs count as those of the token. A browser that was signed in with a link of another browser creates no links.',
      body: z.object({
        scope: ScopeName.optional().openapi({ description: 'Default: the scope of the token.' }),
      }),
      scope: 'read',
      success: {
        status: 201,
        description: 'The link. It is not shown again.',
        schema: z.object({ url: z.string(), expires_at: time }).openapi('SignInLink'),
      },
      async handle({ body, caller, context, services }) {
        const scope = body.scope ?? caller.scope;
        checkScope(caller, scope);
        if (caller.browser?.from_browser)
          throw new DaemonError(
            'FORBIDDEN',
            'This browser was signed in with a link of another browser, so it creates no links. Create the link with a token, or in the other browser.',
          );
        const { code, until } = await services.links.create({
          scope,
          made_by: caller === OWNER ? null : caller.id,
          tenant: caller.tenant,
        });
        const url = `${baseOf(context, services)}/sign-in?code=${code}`;
        return { body: { url, expires_at: new Date(until).toISOString() } };
      },
    }),
    api.get('/api/v1/session-of-browser', {
      summary: 'Get who is signed in',
      shared: true,
      success: {
        status: 200,
        description: 'The scope of the cookie or token.',
        schema: z
          .object({
            scope: ScopeName,
            tenant: z
              .string()
              .nullable()
              .openapi({ description: 'The tenant of the token, if teams share the deployment.' }),
            expires_at: time.nullable(),
            shared_session: z
              .string()
              .nullable()
              .openapi({ description: 'The session that a shared link shows, with its descendants.' }),
            version: z.string(),
          })
          .openapi('BrowserSession'),
      },
      handle: ({ caller: { scope, tenant = null, browser }, services: { version } }) => ({
        body: {
          scope,
          tenant,
          expires_at: browser?.expires_at ?? null,
          shared_session: browser?.shared_session ?? null,
          version,
        },
      }),
    }),
    api.post('/api/v1/sign-out', {
      summary: 'Sign this browser out, or all of them',
      description:
        'With `everywhere`, signs out every browser signed in with the same token; with the scope `admin`, every browser, and revokes all shared links.',
      body: z.object({ everywhere: z.boolean().default(false) }),
      scope: 'read',
      shared: true,
      success: { status: 204, description: 'Done. Open streams end with `revoked`.' },
      async handle({ body, caller, context, services }) {
        if (caller.browser && !caller.browser.shared_session) await services.tokens.forget(caller.id);
        if (body.everywhere && !caller.browser?.shared_session) await signOutEverywhere(services, caller);
        services.events.checkTokens();
        return {
          status: 204,
          headers: { 'set-cookie': setCookie(incoming(context), services.config.tls_cert !== undefined) },
        };
      },
    }),
    api.get('/sign-in', {
      summary: 'Where the link leads',
      query: z.object({ code: z.string().max(200) }),
      success: { status: 200, description: 'A page.' },
      async handle({ query: { code }, caller, context, services }) {
        // A browser that looks ahead must not use the link up.
        if (/prefetch|prerender/.test(context.req.header('sec-purpose') ?? ''))
          return page('Not yet', 'Open this link yourself.', 503);
        const elsewhere = underOwnName(context, services);
        if (elsewhere) return elsewhere;
        const signIn = await services.links.peek(code);
        if (!signIn) return usedUp();
        const present = signedIn(caller);
        const isSame = present !== null && (await isSameLogin(present, signIn, services));
        // Only a person opens an address directly. A link on a page, ours included, may be the work of another.
        if (isDirectVisit(context) && (present === null || isSame))
          return enter(code, caller, context, services);
        return askFirst(code, signIn, present);
      },
    }),
    api.post('/sign-in', {
      summary: 'Sign in after the page has asked',
      query: z.object({ code: z.string().max(200), replaces: z.string().max(64).default('') }),
      scope: 'read',
      success: { status: 200, description: 'A page.' },
      async handle({ query: { code, replaces }, caller, context, services }) {
        requireOwnPage(context);
        const signIn = await services.links.peek(code);
        if (!signIn) return usedUp();
        const present = signedIn(caller);
        // Opened from another site, the page that asked could not know who is signed in: that cookie stays behind.
        if ((present?.id ?? '') !== replaces) return askFirst(code, signIn, present);
        return enter(code, caller, context, services);
      },
    }),
  ];
}

/** Uses the link up and gives the browser its cookie. The one it had before ends. */
async function enter(code: string, caller: Caller, context: Context, services: Services): Promise<Reply> {
  const { clock, config, tokens, links } = services;
  const signIn = await links.take(code);
  if (!signIn) return usedUp();
  const { scope, made_by, tenant } = signIn;
  const expires_at = new Date(clock.now() + BROWSER_SESSION_MS).toISOString();
  const { token } = await tokens.create(
    {
      kind: 'browser',
      name: 'browser',
      scope,
      expires_at,
      ...(made_by === null ? {} : { made_by }),
      ...(tenant === undefined ? {} : { tenant }),
    },
    clock,
  );
  const present = signedIn(caller);
  if (present) await tokens.forget(present.id);
  const cookie = setCookie(incoming(context), config.tls_cert !== undefined, token, expires_at);
  return { status: 303, headers: { location: '/', 'set-cookie': cookie } };
}

/** Asks the person at the browser whether they want to be who the link makes them. */
function askFirst(code: string, signIn: SignIn, present: Caller | null): Reply {
  const now = present ? `This browser is signed in as ${nameOf(present)}. ` : '';
  return confirmPage(
    present ? 'Sign in as someone else?' : 'Sign in?',
    `${now}The link signs it in as ${nameOf(signIn)}. Close this page if you did not ask for the link.`,
    `Sign in as ${nameOf(signIn)}`,
    `/sign-in?code=${encodeURIComponent(code)}&amp;replaces=${encodeURIComponent(present?.id ?? '')}`,
  );
}

function nameOf({ tenant, scope }: Pick<Caller, 'tenant' | 'scope'> | SignIn): string {
  return `${tenant === undefined ? 'the operator' : `tenant ${tenant}`} with the scope ${scope}`;
}

function usedUp(): Reply {
  return page(
    'This link is no longer valid',
    'It works once, within a minute. Run amplifier web for a new one.',
    410,
  );
}

/** Who is signed in by a cookie; a shared link does not count, because it shows less than any sign-in. */
function signedIn(caller: Caller): Caller | null {
  return caller.browser?.shared_session === null ? caller : null;
}

async function isSameLogin(present: Caller, signIn: SignIn, { tokens }: Services): Promise<boolean> {
  if (present.tenant !== signIn.tenant || present.scope !== signIn.scope) return false;
  return (await tokens.makerOf(present.id)) === signIn.made_by;
}

/** True only where the browser says that no page led here. Without that cookies of ours may have stayed behind. */
export function isDirectVisit(context: Context): boolean {
  return incoming(context).headers['sec-fetch-site'] === 'none';
}

/** Throws unless a form on a page of this daemon sent the request. */
export function requireOwnPage(context: Context): void {
  const { origin, host } = incoming(context).headers;
  if (origin === `http://${host}` || origin === `https://${host}`) return;
  throw new DaemonError('FORBIDDEN', 'Only a page of this daemon may ask for this. Open the link again.');
}

/** Where the daemon is reached by whoever asks. Cookies of 127.0.0.1 go to every local server; those of its own name do not. */
export function baseOf(context: Context, { config, local_name }: Services): string {
  const { host = '' } = incoming(context).headers;
  const local = /^(?:localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.exec(host);
  const scheme = config.tls_cert === undefined ? 'http' : 'https';
  return `${scheme}://${local ? local_name + (local[1] ?? '') : host}`;
}

/** A browser that came by another name is led to the daemon's own before it is given a cookie. */
export function underOwnName(context: Context, services: Services) {
  const { headers, url = '/' } = incoming(context);
  const base = baseOf(context, services);
  return new URL(base).host === headers.host?.toLowerCase()
    ? null
    : { status: 303 as const, headers: { location: base + url } };
}

export function incoming(context: Context): IncomingMessage {
  return (context.env as HttpBindings).incoming as IncomingMessage;
}

async function signOutEverywhere({ tokens }: Services, caller: Caller): Promise<void> {
  const own = caller.browser ? await tokens.makerOf(caller.id) : caller === OWNER ? null : caller.id;
  for (const { id, kind, made_by = null } of await tokens.list()) {
    if (kind === undefined) continue;
    if (caller.scope === 'admin' || (kind === 'browser' && made_by === own)) await tokens.forget(id);
  }
}
