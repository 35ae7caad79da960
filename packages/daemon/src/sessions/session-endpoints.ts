import type { SessionStatus } from '@amplifier/sessions';
import { isTerminal } from '@amplifier/sessions';
import { DaemonError } from '../daemon-error.js';
import { CLEANUP_DAYS } from '../defaults.js';
import { type Endpoint, endpoint, z } from '../http/endpoint.js';
import { checkIfMatch, etag, isNotModified } from '../http/etag.js';
import { flag, pageHeaders, paging } from '../http/paging.js';
import { MountPlanRequest } from '../plans/plan-schema.js';
import type { Services } from '../services.js';
import { nextStatus, type Transition } from './lifecycle.js';
import { searchSessions } from './search-sessions.js';
import { entryOf, SessionEntry, SessionStatusSchema, SessionView, versionOf } from './session-schema.js';
import { sessionView } from './session-view.js';

const tag = 'sessions';
const freeForm = z.record(z.string(), z.unknown());
export const sessionParams = z.object({
  session_id: z
    .string()
    .openapi({ param: { name: 'session_id', in: 'path' }, example: 'session_01KA1B2C3D4E5F6G7H8J9K0M1N' }),
});

const CreateSession = MountPlanRequest.omit({ dry_run: true })
  .extend({
    name: z.string().max(200).nullish(),
    metadata: freeForm.optional(),
    working_dir: z.string().max(4_000).nullish(),
    auto_start: z.boolean().optional(),
  })
  .openapi('CreateSessionRequest', { example: { profile_name: 'foundation/base' } });

const statuses = z
  .preprocess((value) => (typeof value === 'string' ? value.split(',') : value), z.array(SessionStatusSchema))
  .optional()
  .openapi({ type: 'array', items: { type: 'string', enum: [...SessionStatusSchema.options] } });

const ListQuery = z.object({
  status: statuses,
  profile_id: z.string().optional(),
  profile_name: z.string().optional(),
  parent_session_id: z.string().optional(),
  root_only: flag.optional(),
  agent_name: z.string().optional(),
  since: z.iso.datetime({ offset: true }).optional(),
  until: z.iso.datetime({ offset: true }).optional(),
  full: flag.optional().openapi({ description: 'Whole metadata instead of what the index knows.' }),
  ...paging,
});

/** Life, listing and removal of sessions. Words come before ids, so that no id hides them. */
export function sessionEndpoints(services: Services): Endpoint[] {
  const { store, logs, plans, active } = services;

  const list = async (query: z.infer<typeof ListQuery>, url: string) => {
    const profile_name = query.profile_id ?? query.profile_name;
    const parent_id = query.root_only ? null : query.parent_session_id;
    const page = await store.list({
      limit: query.limit,
      ...(query.cursor ? { cursor: query.cursor } : {}),
      ...(query.status ? { status: query.status } : {}),
      ...(profile_name ? { profile_name } : {}),
      ...(parent_id !== undefined ? { parent_id } : {}),
      ...(query.agent_name ? { agent_name: query.agent_name } : {}),
      ...(query.since ? { created_after: new Date(query.since).toISOString() } : {}),
      ...(query.until ? { created_before: new Date(query.until).toISOString() } : {}),
    });
    const body = query.full
      ? await Promise.all(
          page.sessions.map(async ({ session_id }) => sessionView(await store.metadata(session_id))),
        )
      : page.sessions.map(entryOf);
    return { body, headers: pageHeaders(url, page.next_cursor) };
  };

  const transition = (name: Transition, summary: string) =>
    endpoint({
      method: 'post',
      path: `/api/v1/sessions/{session_id}/${name}`,
      tag,
      summary,
      params: sessionParams,
      ...(name === 'terminate' ? { body: TerminateSession } : {}),
      success: { status: 204, description: 'Done.' },
      errors: ['SESSION_NOT_FOUND', 'INVALID_TRANSITION', 'SESSION_BUSY', 'VERSION_MISMATCH'],
      async handle({ params: { session_id }, body, context }) {
        const { cascade = false } = body as { cascade?: boolean };
        await logs.use(session_id, (log) => {
          checkIfMatch(context, versionOf(log.metadata));
          return log.transition(nextStatus(session_id, log.metadata.status, name));
        });
        if (cascade) await terminateBelow(services, session_id);
        return {};
      },
    });

  return [
    endpoint({
      method: 'post',
      path: '/api/v1/sessions',
      tag,
      summary: 'Create a session with its mount plan',
      description:
        'Without a profile the active one is taken. The session waits as `created` until it is started.',
      body: CreateSession,
      success: { status: 201, description: 'Created.', schema: SessionView },
      errors: [
        'PROFILE_NOT_FOUND',
        'PARENT_SESSION_NOT_FOUND',
        'PARENT_ENDED',
        'DEPTH_EXCEEDED',
        'TOO_MANY_CHILDREN',
        'SESSION_EXISTS',
        'INVALID_OVERLAY',
        'INVALID_SESSION_ID',
        'STORAGE_FULL',
      ],
      async handle({ body }) {
        const profile_id = await active.choose(body.profile_id ?? body.profile_name);
        const plan = await plans.draft({
          profile_id,
          session_id: body.session_id,
          parent_session_id: body.parent_session_id,
          settings: body.settings_overrides,
          overlay: body.agent_overlay,
        });
        const { name, metadata, working_dir, auto_start } = body;
        const created = await plans.create(plan, {
          origin: 'session',
          name,
          metadata,
          working_dir,
          start: auto_start,
        });
        const headers = {
          location: `/api/v1/sessions/${created.session_id}`,
          etag: etag(versionOf(created)),
        };
        return { body: sessionView(created), headers };
      },
    }),
    endpoint({
      method: 'get',
      path: '/api/v1/sessions',
      tag,
      summary: 'List sessions, newest first',
      description: 'Filters apply before the limit. The next page is in the headers Link and X-Next-Cursor.',
      query: ListQuery,
      success: {
        status: 200,
        description: 'One page.',
        schema: z.array(z.union([SessionEntry, SessionView])),
      },
      errors: ['INVALID_CURSOR'],
      handle: ({ query, context }) => list(query, context.req.url),
    }),
    endpoint({
      method: 'get',
      path: '/api/v1/sessions/active',
      tag,
      summary: 'List active sessions',
      query: z.object({ full: flag.optional(), ...paging }),
      success: {
        status: 200,
        description: 'One page.',
        schema: z.array(z.union([SessionEntry, SessionView])),
      },
      errors: ['INVALID_CURSOR'],
      handle: ({ query, context }) => list({ ...query, status: ['active'] }, context.req.url),
    }),
    endpoint({
      method: 'get',
      path: '/api/v1/sessions/search',
      tag,
      summary: 'Find sessions by what was said in them',
      description:
        'Looks at ids, names and messages, newest session first. Follow the cursor to look further back.',
      query: z.object({ q: z.string().min(1).max(200), ...paging }),
      success: {
        status: 200,
        description: 'Sessions with the first place that fits.',
        schema: z.array(SessionEntry.extend({ match: freeForm })),
      },
      errors: ['INVALID_CURSOR'],
      async handle({ query, context }) {
        const { matches, next_cursor } = await searchSessions(store, query);
        return { body: matches, headers: pageHeaders(context.req.url, next_cursor) };
      },
    }),
    endpoint({
      method: 'post',
      path: '/api/v1/sessions/cleanup',
      tag,
      summary: 'Remove old sessions',
      description:
        'Never an active session, and never one above a session that stays. Parameters in the body or the query.',
      query: z.object({
        older_than_days: z.coerce.number().int().nonnegative().optional(),
        dry_run: flag.optional(),
      }),
      body: z.object({
        older_than_days: z.int().nonnegative().optional(),
        statuses: z
          .array(SessionStatusSchema)
          .optional()
          .openapi({ description: 'Default: those that have ended.' }),
        keep_last: z.int().nonnegative().optional(),
        dry_run: z.boolean().optional(),
      }),
      success: {
        status: 200,
        description: 'What was, or would be, removed.',
        schema: z.object({
          removed_count: z.int(),
          session_ids: z.array(z.string()),
          bytes: z.int(),
          dry_run: z.boolean(),
        }),
      },
      async handle({ query, body }) {
        const { statuses: wanted, keep_last } = body;
        await logs.close();
        const report = await store.retain({
          older_than_days: body.older_than_days ?? query.older_than_days ?? CLEANUP_DAYS,
          ...(wanted ? { statuses: wanted } : {}),
          ...(keep_last ? { keep_last } : {}),
          dry_run: body.dry_run ?? query.dry_run ?? false,
        });
        if (!report.dry_run) await forget(services, report.session_ids);
        const { session_ids, bytes, dry_run } = report;
        return { body: { removed_count: dry_run ? 0 : session_ids.length, session_ids, bytes, dry_run } };
      },
    }),
    endpoint({
      method: 'get',
      path: '/api/v1/sessions/{session_id}',
      tag,
      summary: 'Get a session',
      params: sessionParams,
      success: { status: 200, description: 'Its metadata.', schema: SessionView },
      errors: ['SESSION_NOT_FOUND'],
      async handle({ params: { session_id }, context }) {
        const metadata = (await logs.peek(session_id))?.metadata ?? (await store.metadata(session_id));
        const current = etag(versionOf(metadata));
        if (isNotModified(context, current)) return { status: 304, headers: { etag: current } };
        return { body: sessionView(metadata), headers: { etag: current } };
      },
    }),
    endpoint({
      method: 'patch',
      path: '/api/v1/sessions/{session_id}',
      tag,
      summary: 'Change the name or the metadata of a session',
      description: 'Members of `metadata` replace those of the same name; null removes one.',
      params: sessionParams,
      body: z.object({ name: z.string().max(200).nullish(), metadata: freeForm.optional() }),
      success: { status: 200, description: 'As it is now.', schema: SessionView },
      errors: ['SESSION_NOT_FOUND', 'SESSION_BUSY', 'VERSION_MISMATCH'],
      handle: ({ params: { session_id }, body, context }) =>
        logs.use(session_id, async (log) => {
          checkIfMatch(context, versionOf(log.metadata));
          const before = sessionView(log.metadata).metadata;
          const merged = Object.entries({ ...before, ...body.metadata }).filter(
            ([, value]) => value !== null,
          );
          const metadata = await log.update({
            ...(body.name === undefined ? {} : { name: body.name }),
            ...(body.metadata ? { extra: { metadata: Object.fromEntries(merged) } } : {}),
          });
          return { body: sessionView(metadata), headers: { etag: etag(versionOf(metadata)) } };
        }),
    }),
    endpoint({
      method: 'delete',
      path: '/api/v1/sessions/{session_id}',
      tag,
      summary: 'Delete a session and all its files',
      params: sessionParams,
      query: z.object({
        force: flag.optional(),
        children: z.enum(['refuse', 'orphan', 'cascade']).optional(),
      }),
      success: { status: 204, description: 'Gone.' },
      errors: [
        'SESSION_NOT_FOUND',
        'SESSION_ACTIVE',
        'SESSION_HAS_CHILDREN',
        'SESSION_BUSY',
        'VERSION_MISMATCH',
      ],
      async handle({ params: { session_id }, query, context }) {
        if (context.req.header('if-match'))
          checkIfMatch(context, versionOf(await store.metadata(session_id)));
        await deleteSession(services, session_id, query);
        return {};
      },
    }),
    transition('start', 'Start a session'),
    transition('complete', 'Complete a session'),
    endpoint({
      method: 'post',
      path: '/api/v1/sessions/{session_id}/fail',
      tag,
      summary: 'Mark a session as failed',
      params: sessionParams,
      body: z
        .object({ error_message: z.string().min(1).max(10_000), error_details: freeForm.nullish() })
        .openapi('FailSessionRequest', { example: { error_message: 'The provider refused the key.' } }),
      success: { status: 204, description: 'Done.' },
      errors: ['SESSION_NOT_FOUND', 'INVALID_TRANSITION', 'SESSION_BUSY', 'VERSION_MISMATCH'],
      async handle({ params: { session_id }, body, context }) {
        const { error_message: message, error_details: details } = body;
        await logs.use(session_id, (log) => {
          checkIfMatch(context, versionOf(log.metadata));
          const status = nextStatus(session_id, log.metadata.status, 'fail');
          return log.transition(status, {
            error: { code: 'FAILED_BY_CLIENT', message, ...(details ? { details } : {}) },
          });
        });
        return {};
      },
    }),
    transition('terminate', 'Terminate a session'),
    transition('resume', 'Make an ended session active again'),
  ];
}

const TerminateSession = z.object({
  cascade: z.boolean().optional().openapi({ description: 'Also what hangs below.' }),
});

async function terminateBelow({ store, logs }: Services, session_id: string): Promise<void> {
  for (const child of await store.children(session_id)) {
    await logs.use(child.session_id, async (log) => {
      if (!isTerminal(log.metadata.status)) await log.transition('terminated');
    });
    await terminateBelow({ store, logs } as Services, child.session_id);
  }
}

/** Deletes a session and, when asked, those below it. */
export async function deleteSession(
  services: Services,
  session_id: string,
  options: { force?: boolean | undefined; children?: 'refuse' | 'orphan' | 'cascade' | undefined },
): Promise<void> {
  const { store, logs } = services;
  const children = options.children ?? 'refuse';
  for (const id of children === 'cascade' ? await below(services, session_id) : [session_id])
    await logs.release(id);
  await forget(services, await store.delete(session_id, { children, force: options.force ?? false }));
}

async function below({ store }: Services, session_id: string): Promise<string[]> {
  const ids = [session_id];
  for (const id of ids) ids.push(...(await store.children(id)).map((child) => child.session_id));
  return ids;
}

async function forget({ plans, store, config }: Services, session_ids: readonly string[]): Promise<void> {
  plans.forget(session_ids);
  if (session_ids.length > 0) await store.emptyTrash(config.trash_days);
}

/** A message for a session in this status, or the refusal. */
export function checkTakesMessages(session_id: string, status: SessionStatus): void {
  if (status === 'active') return;
  const remedy = status === 'created' ? 'Start it first.' : 'Resume it first.';
  throw new DaemonError(
    'SESSION_CLOSED',
    `Session ${session_id} is ${status} and takes no messages. ${remedy}`,
    {
      members: { session_status: status },
    },
  );
}
