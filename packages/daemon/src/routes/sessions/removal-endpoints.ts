import { retainSessions } from '@amplifier/sessions/record';
import { CLEANUP_DAYS } from '../../defaults.js';
import { type Endpoint, endpoints, z } from '../../http/endpoint.js';
import { checkIfMatch } from '../../http/etag.js';
import { flag } from '../../http/paging.js';
import type { Services } from '../../services.js';
import { SessionStatusSchema, versionOf } from '../../sessions/session-schema.js';
import { sessionTree } from '../../sessions/session-tree.js';

const api = endpoints({ tag: 'sessions' });

/** The ways a session goes for good. */
export function removalEndpoints(): Endpoint[] {
  return [
    api.post('/api/v1/sessions/cleanup', {
      scope: 'admin',
      operator: false,
      summary: 'Remove old sessions',
      description:
        'Never removes an active session or an ancestor of a kept one. Parameters go in the body or the query.',
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
      async handle({ query, body, services }) {
        const { statuses: wanted, keep_last } = body;
        await services.logs.releaseUnused();
        const report = await retainSessions(
          services.store,
          {
            older_than_days: body.older_than_days ?? query.older_than_days ?? CLEANUP_DAYS,
            ...(wanted ? { statuses: wanted } : {}),
            ...(keep_last ? { keep_last } : {}),
            dry_run: body.dry_run ?? query.dry_run ?? false,
          },
          services.clock,
        );
        if (!report.dry_run) await forget(services, report.session_ids);
        const { session_ids, bytes, dry_run } = report;
        return { body: { removed_count: dry_run ? 0 : session_ids.length, session_ids, bytes, dry_run } };
      },
    }),
    api.delete('/api/v1/sessions/{session_id}', {
      summary: 'Delete a session and all its files',
      query: z.object({
        force: flag.optional(),
        children: z.enum(['refuse', 'orphan', 'cascade']).optional(),
      }),
      success: { status: 204, description: 'Gone.' },
      errors: ['SESSION_ACTIVE', 'SESSION_HAS_CHILDREN', 'SESSION_BUSY', 'VERSION_MISMATCH'],
      async handle({ params: { session_id }, query, context, services }) {
        if (context.req.header('if-match'))
          checkIfMatch(context, versionOf(await services.store.metadata(session_id)));
        await deleteSession(services, session_id, query);
        return {};
      },
    }),
  ];
}

/** Deletes a session and, when asked, those below it. */
export async function deleteSession(
  services: Services,
  session_id: string,
  options: { force?: boolean | undefined; children?: 'refuse' | 'orphan' | 'cascade' | undefined },
): Promise<void> {
  const { store, logs } = services;
  const children = options.children ?? 'refuse';
  for (const id of children === 'cascade' ? await sessionTree(store, session_id) : [session_id])
    await logs.release(id);
  await forget(services, await store.delete(session_id, { children, force: options.force ?? false }));
}

async function forget({ plans, store, config }: Services, session_ids: readonly string[]): Promise<void> {
  plans.forget(session_ids);
  if (session_ids.length > 0) await store.emptyTrash(config.trash_days);
}
