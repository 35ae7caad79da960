import { isoTime } from '@amplifier/core';
import { exportLines, readExport } from '@amplifier/sessions/record';
import { planScope } from '../../auth/scope.js';
import { DaemonError } from '../../daemon-error.js';
import { type Endpoint, endpoints, z } from '../../http/endpoint.js';
import { readBodyLines } from '../../http/read-body.js';
import { linesForImport } from '../../plans/check-import.js';
import { planDocument, planOf } from '../../plans/plan-document.js';
import type { PublicPlan } from '../../plans/plan-schema.js';
import { entryOf, SessionEntry, SessionView } from '../../sessions/session-schema.js';
import { sessionView } from '../../sessions/session-view.js';

const api = endpoints({ tag: 'history' });

/** Where a session comes from, what hangs below it, and copies of it. */
export function historyEndpoints(): Endpoint[] {
  return [
    api.get('/api/v1/sessions/{session_id}/children', {
      shared: true,
      summary: 'List the direct children of a session, oldest first',
      success: { status: 200, description: 'The children.', schema: z.array(SessionEntry) },
      async handle({ params: { session_id }, services: { store } }) {
        await store.metadata(session_id);
        return { body: (await store.children(session_id)).map(entryOf) };
      },
    }),
    api.get('/api/v1/sessions/{session_id}/lineage', {
      summary: 'Get the sessions above a session, from its root down to itself',
      success: { status: 200, description: 'The way down.', schema: z.array(SessionView) },
      async handle({ params: { session_id }, services: { store } }) {
        const line = [await store.metadata(session_id)];
        const seen = new Set([session_id]);
        for (
          let id = line[0]?.parent_id;
          id && !seen.has(id) && (await store.has(id));
          id = line[0]?.parent_id
        ) {
          seen.add(id);
          line.unshift(await store.metadata(id));
        }
        return { body: line.map(sessionView) };
      },
    }),
    api.post('/api/v1/sessions/{session_id}/fork', {
      summary: 'Begin a new session with the conversation of another',
      body: z.object({
        turn: z
          .int()
          .positive()
          .optional()
          .openapi({ description: 'Keep the conversation to the end of this turn.' }),
        session_id: z.string().max(128).optional(),
        name: z.string().max(200).nullish(),
      }),
      success: { status: 201, description: 'The new session.', schema: SessionView },
      errors: ['TURN_NOT_FOUND', 'SESSION_EXISTS'],
      async handle({ params: { session_id }, body, services: { store, logs, plans, clock } }) {
        const source = await store.metadata(session_id);
        const plan = await store.document(session_id, 'mount_plan');
        const id = plans.newId(body.session_id);
        const log = await store.fork(session_id, {
          ...(body.turn === undefined ? {} : { turn: body.turn }),
          session: {
            session_id: id,
            extra: { ...source.extra, daemon: { ...(source.extra.daemon as object), origin: 'fork' } },
            ...(body.name === undefined ? {} : { name: body.name }),
          },
          contents: plan
            ? { documents: { mount_plan: planDocument(rename(planOf(plan), id, isoTime(clock))) } }
            : {},
        });
        logs.adopt(log);
        return {
          body: sessionView(log.metadata),
          headers: { location: `/api/v1/sessions/${log.session_id}` },
        };
      },
    }),
    api.get('/api/v1/sessions/{session_id}/export', {
      large: true,
      summary: 'Get a whole session as lines of JSON',
      description:
        'It is read while it is sent, at the pace of the reader. A copy that ends without its last line (`"kind":"end"`) is not complete. A caller has 8 large answers at once; more requests wait.',
      success: {
        status: 200,
        description: 'For POST /api/v1/sessions/import.',
        schema: z.string(),
        content_type: 'application/x-ndjson',
      },
      async handle({ params: { session_id }, services: { store } }) {
        const lines = exportLines(await store.export(session_id));
        return { lines, headers: { 'content-type': 'application/x-ndjson' } };
      },
    }),
    api.post('/api/v1/sessions/import', {
      large: 'alone',
      summary: 'Import an exported session',
      description:
        'The body is an export, sent as application/x-ndjson. It is imported as a whole or not at all, without its launch record: this daemon decides what the session may do. With scope `run`, its plan must be one that the token could create here. A child stays below its parent if the token sees that here and the limits allow another child; without a parent here, it becomes a root.',
      query: z.object({ session_id: z.string().max(128).optional() }),
      success: { status: 201, description: 'The session.', schema: SessionView },
      errors: [
        'INVALID_EXPORT',
        'DEPTH_EXCEEDED',
        'TOO_MANY_CHILDREN',
        'PROFILE_NOT_FOUND',
        'SESSION_EXISTS',
        'PAYLOAD_TOO_LARGE',
        'UNSUPPORTED_MEDIA_TYPE',
        'INVALID_RECORD',
        'INVALID_SESSION_ID',
      ],
      async handle({ query, context, caller, services }) {
        if (!/^application\/(x-)?ndjson/i.test(context.req.header('content-type') ?? '')) {
          throw new DaemonError(
            'UNSUPPORTED_MEDIA_TYPE',
            'Send the export with the header "Content-Type: application/x-ndjson".',
          );
        }
        const lines = readBodyLines(context.req, services.config.max_body_bytes * 16);
        const session_id = await services.store.import(
          await readExport(linesForImport(lines, planScope(caller), services)),
          query.session_id ? { session_id: query.session_id } : {},
        );
        return {
          body: sessionView(await services.store.metadata(session_id)),
          headers: { location: `/api/v1/sessions/${session_id}` },
        };
      },
    }),
    api.get('/api/v1/sessions/{session_id}/mount-plan', {
      summary: 'Get the mount plan of a session',
      success: {
        status: 200,
        description: 'The same as GET /api/v1/mount-plans/{session_id}.',
        schema: z.looseObject({}),
      },
      errors: ['MOUNT_PLAN_NOT_FOUND'],
      handle: async ({ params: { session_id }, services: { plans } }) => ({
        json: await plans.render(session_id, 'full'),
      }),
    }),
  ];
}

/** A fork has the plan of its source under its own name. */
function rename(plan: PublicPlan, session_id: string, created_at: string): PublicPlan {
  return { ...plan, session: { ...plan.session, session_id, created_at, parent_session_id: null } };
}
