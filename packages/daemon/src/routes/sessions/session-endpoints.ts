import { rootSessionId } from '@amplifier/core';
import { networkOf } from '@amplifier/delegation';
import type { SessionMetadata } from '@amplifier/sessions';
import { NetworkAccess, tighterNetwork } from '@amplifier/workspace';
import { planScope } from '../../auth/scope.js';
import { type Endpoint, endpoints, type Reply, z } from '../../http/endpoint.js';
import { checkIfMatch, etag, isNotModified } from '../../http/etag.js';
import { flag, listOf, pageHeaders, paging } from '../../http/paging.js';
import { CREATE_ERRORS, MountPlanRequest, type PublicPlan } from '../../plans/plan-schema.js';
import type { Services } from '../../services.js';
import { searchSessions } from '../../sessions/search-sessions.js';
import { checkMetadata } from '../../sessions/session-metadata.js';
import {
  entryOf,
  SessionEntry,
  SessionStatusSchema,
  SessionView,
  versionOf,
} from '../../sessions/session-schema.js';
import { sessionView } from '../../sessions/session-view.js';

const api = endpoints({ tag: 'sessions' });
const freeForm = z.record(z.string(), z.unknown());
const text = z.string().max(300);
const CreateSession = MountPlanRequest.omit({ dry_run: true })
  .extend({
    name: z.string().max(200).nullish(),
    metadata: freeForm.optional(),
    working_dir: z.string().max(4_000).nullish(),
    place: z.string().max(200).optional().openapi({
      description: 'The host or pool that executes its runs. Default: that of its folder.',
    }),
    auto_start: z.boolean().optional(),
    network: NetworkAccess.optional().openapi({
      description:
        'What of the session may reach the network: `false`, `tools` (all but commands) or `true`; at most what profile and daemon allow. Model calls are not affected.',
      example: false,
    }),
  })
  .openapi('CreateSessionRequest', { example: { profile_name: 'foundation/base' } });

const ListQuery = z.object({
  status: listOf(SessionStatusSchema),
  profile_id: z.string().optional(),
  profile_name: z.string().optional(),
  parent_session_id: z.string().optional(),
  root_only: flag.optional(),
  agent_name: z.string().optional(),
  since: z.iso.datetime({ offset: true }).optional(),
  until: z.iso.datetime({ offset: true }).optional(),
  full: flag.optional().openapi({ description: 'false: only what identifies a session, which is faster.' }),
  ...paging,
});

/** The plan with what the caller says of the network, which can only be less than its profile says. */
function withNetwork(plan: PublicPlan, network: NetworkAccess | undefined): PublicPlan {
  if (network === undefined) return plan;
  const session = {
    ...plan.session.session,
    network: tighterNetwork(networkOf(plan.session.session), network),
  };
  return { ...plan, session: { ...plan.session, session } };
}

/** Making, finding and naming sessions. Words come before ids, so that no id hides them. */
export function sessionEndpoints(): Endpoint[] {
  const list = async ({ store, rendered }: Services, query: z.infer<typeof ListQuery>, url: string) => {
    const profile_name = query.profile_id ?? query.profile_name;
    const parent_id = query.root_only ? null : query.parent_session_id;
    const asked = {
      limit: query.limit,
      ...(query.cursor ? { cursor: query.cursor } : {}),
      ...(query.status ? { status: query.status } : {}),
      ...(profile_name ? { profile_name } : {}),
      ...(parent_id !== undefined ? { parent_id } : {}),
      ...(query.agent_name ? { agent_name: query.agent_name } : {}),
      ...(query.since ? { created_after: new Date(query.since).toISOString() } : {}),
      ...(query.until ? { created_before: new Date(query.until).toISOString() } : {}),
    };
    if (query.full === false) {
      const { sessions, next_cursor } = await store.list(asked);
      return { body: sessions.map(entryOf), headers: pageHeaders(url, next_cursor) };
    }
    const { json, next_cursor } = await rendered.page(store, asked);
    return { json, headers: pageHeaders(url, next_cursor) };
  };

  return [
    api.post('/api/v1/sessions', {
      summary: 'Create a session with its mount plan',
      description: 'Without a profile, the active one is used. The session is `created` until it is started.',
      query: z.object({ profile_name: text.optional(), parent_session_id: text.optional() }),
      body: CreateSession,
      inQuery: { members: ['profile_name', 'parent_session_id'] },
      idempotent: true,
      recordOnly: true,
      success: { status: 201, description: 'Created.', schema: SessionView },
      errors: [
        'PROFILE_NOT_FOUND',
        ...CREATE_ERRORS,
        'INVALID_WORKING_DIR',
        'STORAGE_FULL',
        'STORAGE_UNAVAILABLE',
      ],
      async handle({ body, once, caller, services: { home, store, plans, active, folders, runtime } }) {
        checkMetadata(body.metadata);
        const scope = planScope(caller);
        const session_id = body.session_id ?? (once && rootSessionId(once.id));
        if (once?.retried && session_id && (await store.has(session_id)))
          return createdReply(await store.metadata(session_id));
        const wanted = body.working_dir ?? null;
        // A folder of another place is looked at there.
        const isHere = body.place === undefined || (home.places?.includes(body.place) ?? true);
        const folder = isHere && (wanted !== null || home.isUsers) ? await folders.allowed(wanted) : wanted;
        const profile_id = await active.choose(body.profile_id ?? body.profile_name);
        const drafted = await plans.draft({ ...body, profile_id, session_id, working_dir: folder, scope });
        const plan = withNetwork(drafted, body.network);
        const { name, metadata, auto_start } = body;
        const created = await plans.create(plan, {
          origin: 'session',
          name,
          metadata,
          working_dir: home.isUsers ? folder : wanted,
          start: auto_start,
          place: body.place,
        });
        // So that every other entry point finds a session it can run.
        if (home.isUsers) await runtime.prepare(created);
        return createdReply(created);
      },
    }),
    api.get('/api/v1/sessions', {
      large: true,
      summary: 'List sessions, newest first',
      description:
        'Filters apply before the limit. A page has about 1 MB, but at least one session; the next is in the headers Link and X-Next-Cursor.',
      query: ListQuery,
      success: {
        status: 200,
        description: 'One page.',
        schema: z.array(z.union([SessionEntry, SessionView])),
      },
      errors: ['INVALID_CURSOR'],
      handle: ({ query, context, services }) => list(services, query, context.req.url),
    }),
    api.get('/api/v1/sessions/active', {
      large: true,
      summary: 'List active sessions',
      query: z.object({ full: flag.optional(), ...paging }),
      success: {
        status: 200,
        description: 'One page.',
        schema: z.array(z.union([SessionEntry, SessionView])),
      },
      errors: ['INVALID_CURSOR'],
      handle: ({ query, context, services }) =>
        list(services, { ...query, status: ['active'] }, context.req.url),
    }),
    api.get('/api/v1/sessions/search', {
      large: true,
      summary: 'Search sessions by message text',
      description:
        'Searches ids, names and messages, newest session first. Follow the cursor to search further back.',
      query: z.object({ q: z.string().min(1).max(200), ...paging }),
      success: {
        status: 200,
        description: 'Sessions with the first match.',
        schema: z.array(SessionEntry.extend({ match: freeForm })),
      },
      errors: ['INVALID_CURSOR'],
      async handle({ query, context, services: { store } }) {
        const { matches, next_cursor } = await searchSessions(store, query);
        return { body: matches, headers: pageHeaders(context.req.url, next_cursor) };
      },
    }),
    api.get('/api/v1/sessions/{session_id}', {
      shared: true,
      summary: 'Get a session',
      success: { status: 200, description: 'Its metadata.', schema: SessionView },
      async handle({ params: { session_id }, context, services: { store, logs, rendered } }) {
        const log = await logs.peek(session_id);
        const session = log ? rendered.open(log.metadata) : await rendered.one(store, session_id);
        const current = etag(session.version);
        if (isNotModified(context, current)) return { status: 304, headers: { etag: current } };
        return { json: session.json, headers: { etag: current } };
      },
    }),
    api.patch('/api/v1/sessions/{session_id}', {
      summary: 'Change the name or the metadata of a session',
      description: 'Members of `metadata` replace those of the same name; null removes one.',
      body: z.object({ name: z.string().max(200).nullish(), metadata: freeForm.optional() }),
      success: { status: 200, description: 'The updated resource.', schema: SessionView },
      errors: ['SESSION_BUSY', 'VERSION_MISMATCH'],
      handle: ({ params: { session_id }, body, context, services: { logs } }) =>
        logs.share(session_id, async (log) => {
          checkIfMatch(context, versionOf(log.metadata));
          const before = sessionView(log.metadata).metadata;
          const merged = Object.fromEntries(
            Object.entries({ ...before, ...body.metadata }).filter(([, value]) => value !== null),
          );
          if (body.metadata) checkMetadata(merged, before);
          const metadata = await log.update({
            ...(body.name === undefined ? {} : { name: body.name }),
            ...(body.metadata ? { extra: { metadata: merged } } : {}),
          });
          return { body: sessionView(metadata), headers: { etag: etag(versionOf(metadata)) } };
        }),
    }),
  ];
}

function createdReply(metadata: SessionMetadata): Reply {
  const location = `/api/v1/sessions/${metadata.session_id}`;
  return { body: sessionView(metadata), headers: { location, etag: etag(versionOf(metadata)) } };
}
