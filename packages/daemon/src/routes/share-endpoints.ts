import type { Context } from 'hono';
import { cookieOf, setCookie } from '../auth/cookies.js';
import { OWNER } from '../auth/gate.js';
import { DaemonError } from '../daemon-error.js';
import { MAX_SHARE_SECONDS, SHARE_SECONDS } from '../defaults.js';
import { type Endpoint, endpoints, type Reply, z } from '../http/endpoint.js';
import type { Services } from '../services.js';
import { baseOf, incoming, isDirectVisit, requireOwnPage, underOwnName } from './sign-in-endpoints.js';
import { confirmPage, page } from './web-pages.js';

const api = endpoints({ tag: 'browser' });
const time = z.string().openapi({ format: 'date-time' });

/** Links that let others read one tree. */
export function shareEndpoints(): Endpoint[] {
  return [
    api.post('/api/v1/sessions/{session_id}/share', {
      summary: 'Create a link with which anyone can read a session and its descendants, until it expires',
      body: z.object({
        expires_in: z
          .int()
          .min(60)
          .max(MAX_SHARE_SECONDS)
          .default(SHARE_SECONDS)
          .openapi({ description: 'Seconds.' }),
      }),
      success: {
        status: 201,
        description: 'The link. It is not shown again.',
        schema: z.object({ share_id: z.string(), url: z.string(), expires_at: time }).openapi('SharedLink'),
      },
      async handle({ params: { session_id }, body, caller, context, services }) {
        await services.store.metadata(session_id);
        const expires_at = new Date(services.clock.now() + body.expires_in * 1_000).toISOString();
        const maker = caller.browser
          ? await services.tokens.makerOf(caller.id)
          : caller === OWNER
            ? null
            : caller.id;
        const { token, record } = await services.tokens.create(
          {
            kind: 'share',
            name: `shared: ${session_id}`,
            scope: 'read',
            expires_at,
            session_id,
            ...(maker === null ? {} : { made_by: maker }),
          },
          services.clock,
        );
        const url = `${baseOf(context, services)}/shared?token=${token}`;
        return { body: { share_id: record.id, url, expires_at } };
      },
    }),
    api.delete('/api/v1/sessions/{session_id}/share', {
      summary: 'Revoke the links that share a session, or one of them',
      query: z.object({ share_id: z.string().max(64).optional() }),
      success: { status: 204, description: 'Revoked. Open streams end.' },
      errors: ['TOKEN_NOT_FOUND'],
      async handle({ params: { session_id }, query: { share_id }, services: { store, tokens, events } }) {
        await store.metadata(session_id);
        const links = (await tokens.list()).filter(
          (each) => each.kind === 'share' && each.session_id === session_id,
        );
        const wanted = links.filter(({ id }) => share_id === undefined || id === share_id);
        if (wanted.length === 0 && share_id !== undefined)
          throw new DaemonError(
            'TOKEN_NOT_FOUND',
            `Session ${session_id} is not shared by a link ${share_id}.`,
          );
        for (const { id } of wanted) await tokens.forget(id);
        events.checkTokens();
        return { status: 204 };
      },
    }),
    api.get('/shared', {
      summary: 'Where a shared link leads',
      query: z.object({ token: z.string().max(200) }),
      success: { status: 200, description: 'A page.' },
      async handle({ query: { token }, context, services }) {
        const elsewhere = underOwnName(context, services);
        if (elsewhere) return elsewhere;
        const shared = await sharedBy(token, services);
        if (!shared) return notShared();
        // A visit from another site arrives without our cookie: who is signed in shows when our own page asks.
        if (!isDirectVisit(context))
          return confirmPage(
            'A shared session',
            `The link shows one session until ${shared.expires_at}.`,
            'Open',
            `/shared?token=${encodeURIComponent(token)}`,
          );
        return show(token, shared, context, services);
      },
    }),
    api.post('/shared', {
      summary: 'Open a shared link after the page has asked',
      query: z.object({ token: z.string().max(200) }),
      scope: 'read',
      shared: true,
      success: { status: 200, description: 'A page.' },
      async handle({ query: { token }, context, services }) {
        requireOwnPage(context);
        const shared = await sharedBy(token, services);
        return shared ? show(token, shared, context, services) : notShared();
      },
    }),
  ];
}

interface Shared {
  session_id: string;
  expires_at: string;
}

async function sharedBy(token: string, { tokens }: Services): Promise<Shared | null> {
  const { shared_session = null, expires_at = null } = (await tokens.findBrowser(token))?.browser ?? {};
  return shared_session === null || expires_at === null ? null : { session_id: shared_session, expires_at };
}

function notShared(): Reply {
  return page('This link is no longer valid', 'It has expired or was revoked.', 410);
}

/** A browser that is signed in sees more than the link shows, and stays signed in. */
async function show(
  token: string,
  { session_id, expires_at }: Shared,
  context: Context,
  { config, tokens }: Services,
): Promise<Reply> {
  const request = incoming(context);
  const present = cookieOf(request.headers);
  const other = present === null ? null : await tokens.findBrowser(present);
  const isSignedIn = other?.browser?.shared_session === null;
  const tls = config.tls_cert !== undefined;
  const cookie = isSignedIn ? {} : { 'set-cookie': setCookie(request, tls, token, expires_at) };
  return { status: 303, headers: { location: `/s/${encodeURIComponent(session_id)}`, ...cookie } };
}
