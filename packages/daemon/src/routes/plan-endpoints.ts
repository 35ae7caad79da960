import { access, constants } from 'node:fs/promises';
import { rootSessionId } from '@amplifier/core';
import { planScope } from '../auth/scope.js';
import { DaemonError } from '../daemon-error.js';
import { PAGE_BYTES } from '../defaults.js';
import { type Endpoint, endpoints, type Reply, z } from '../http/endpoint.js';
import { etag, isNotModified } from '../http/etag.js';
import { pageHeaders, paging } from '../http/paging.js';
import {
  CREATE_ERRORS,
  MountPlanRequest,
  MountPlanSummary,
  MountPlanView,
  PostedPlan,
  SubSessionRequest,
} from '../plans/plan-schema.js';
import { countKinds, renderPlan } from '../plans/render-plan.js';
import { toCorePlan } from '../plans/to-core-plan.js';
import { validatePlan } from '../plans/validate-plan.js';
import type { Services } from '../services.js';
import { daemonRecord } from '../sessions/session-view.js';
import { deleteSession } from './sessions/removal-endpoints.js';

const api = endpoints({ tag: 'mount plans' });
const findings = z.record(z.string(), z.array(z.string()));

/** Plans over REST. Words come before ids, so that no id hides them. */
export function planEndpoints(): Endpoint[] {
  const storedReply = async (
    plans: Services['plans'],
    kind: 'mount-plans' | 'sessions',
    session_id: string,
  ): Promise<Reply> => ({
    json: await plans.render(session_id, 'full'),
    headers: { location: `/api/v1/${kind}/${session_id}` },
  });

  return [
    api.post('/api/v1/mount-plans/generate', {
      summary: 'Generate a mount plan from a profile',
      description:
        'Stores the plan with a session in status `created`; with `dry_run` it stores nothing and returns 200.',
      body: MountPlanRequest,
      idempotent: true,
      success: { status: 201, description: 'The plan.', schema: MountPlanView },
      errors: ['PROFILE_NOT_FOUND', ...CREATE_ERRORS, 'RESOURCE_LOST', 'STORAGE_FULL', 'STORAGE_UNAVAILABLE'],
      async handle({ body, once, caller, services: { plans, store, active, home, folders, runtime } }) {
        const scope = planScope(caller);
        const session_id = body.session_id ?? (once && rootSessionId(once.id));
        if (once?.retried && session_id && (await store.has(session_id)))
          return storedReply(plans, 'mount-plans', session_id);
        const folder = home.isUsers ? await folders.allowed(null) : null;
        const profile_id = await active.choose(body.profile_id ?? body.profile_name);
        const plan = await plans.draft({ ...body, profile_id, session_id, working_dir: folder, scope });
        if (body.dry_run) return { status: 200, json: renderPlan(plan, 'full') };
        const created = await plans.create(plan, { origin: 'plan', working_dir: folder });
        if (home.isUsers) await runtime.prepare(created);
        const location = `/api/v1/mount-plans/${plan.session.session_id}`;
        return { json: plans.remember(plan, 'full'), headers: { location } };
      },
    }),
    api.post('/api/v1/mount-plans/validate', {
      scope: 'read',
      summary: 'Check a mount plan',
      description:
        'Checks for missing resources, duplicate ids and invalid configuration. Only files of the daemon itself are read.',
      query: z.object({
        format: z
          .enum(['report', 'map'])
          .default('report')
          .openapi({ description: '`map`: only the errors, by category.' }),
      }),
      body: PostedPlan,
      success: {
        status: 200,
        description: 'What was found.',
        schema: z.union([z.object({ valid: z.boolean(), errors: findings, warnings: findings }), findings]),
      },
      async handle({ body, query, services: { home } }) {
        const result = await validatePlan(body, [home.share, home.cache]);
        return { body: query.format === 'map' ? result.errors : result };
      },
    }),
    api.get('/api/v1/mount-plans/health', {
      summary: 'Check whether plans can be created and stored',
      success: {
        status: 200,
        description: 'Always 200; see `status`.',
        schema: z.object({
          status: z.enum(['healthy', 'degraded', 'unhealthy']),
          service: z.string(),
          storage_available: z.boolean(),
          cache_available: z.boolean(),
        }),
      },
      async handle({ services: { home } }) {
        const [storage_available, cache_available] = await Promise.all([
          isWritable(home.state),
          isWritable(home.share),
        ]);
        const status =
          storage_available && cache_available
            ? 'healthy'
            : storage_available || cache_available
              ? 'degraded'
              : 'unhealthy';
        return { body: { status, service: 'mount_plan_service', storage_available, cache_available } };
      },
    }),
    api.get('/api/v1/mount-plans', {
      large: true,
      summary: 'List mount plans, newest first',
      query: z.object({
        profile_id: z.string().optional(),
        parent_session_id: z.string().optional(),
        ...paging,
      }),
      success: { status: 200, description: 'One page.', schema: z.array(MountPlanSummary) },
      errors: ['INVALID_CURSOR'],
      async handle({ query, context, services: { plans, store } }) {
        const page = await store.outlines({
          limit: query.limit,
          bytes: PAGE_BYTES,
          ...(query.cursor ? { cursor: query.cursor } : {}),
          ...(query.profile_id ? { profile_name: query.profile_id } : {}),
          ...(query.parent_session_id ? { parent_id: query.parent_session_id } : {}),
        });
        const body: object[] = [];
        for (const session of page.sessions) {
          const { session_id, profile_name, parent_id, created } = session;
          const known = 'extra' in session ? daemonRecord(session) : null;
          // One after the other: a plan may have megabytes.
          const record = known ?? (await countMounts(plans, session_id));
          body.push({
            session_id,
            profile_id: profile_name,
            parent_session_id: parent_id,
            created_at: created,
            mount_point_count: record?.mount_point_count ?? 0,
            module_types: record?.module_types ?? {},
          });
        }
        return { body, headers: pageHeaders(context.req.url, page.next_cursor) };
      },
    }),
    api.get('/api/v1/mount-plans/{session_id}', {
      summary: 'Get a mount plan',
      description: '`format=core` returns the form the kernel mounts.',
      query: z.object({
        view: z.enum(['full', 'flat', 'ids']).default('full'),
        format: z.enum(['plan', 'core']).default('plan'),
      }),
      success: { status: 200, description: 'The plan. It never changes.', schema: MountPlanView },
      errors: ['MOUNT_PLAN_NOT_FOUND'],
      async handle({ params: { session_id }, query: { view, format }, context, services: { plans, store } }) {
        const tagText = etag(`plan-${format}-${view}`);
        if (isNotModified(context, tagText) && (await store.has(session_id)))
          return { status: 304, headers: { etag: tagText } };
        if (format === 'core')
          return { body: toCorePlan(await plans.get(session_id)), headers: { etag: tagText } };
        return { json: await plans.render(session_id, view), headers: { etag: tagText } };
      },
    }),
    api.delete('/api/v1/mount-plans/{session_id}', {
      summary: 'Delete a mount plan that no session uses',
      success: { status: 204, description: 'Gone.' },
      errors: ['PLAN_OWNED', 'SESSION_HAS_CHILDREN'],
      async handle({ params: { session_id }, services }) {
        const metadata = await services.store.metadata(session_id);
        const isUnowned =
          daemonRecord(metadata)?.origin === 'plan' &&
          metadata.status === 'created' &&
          metadata.message_count === 0;
        if (!isUnowned) {
          throw new DaemonError(
            'PLAN_OWNED',
            `The plan belongs to session ${session_id}, which is ${metadata.status}. Delete the session instead.`,
          );
        }
        await deleteSession(services, session_id, {});
        return {};
      },
    }),
    api.post('/api/v1/mount-plans/{session_id}/sub-session', {
      summary: 'Create a child session, with an overlay on the parent’s plan',
      description:
        'The child starts from its parent’s plan and settings. `agent_overlay` has the sections agents, context, providers, tools, hooks and session; entries take `enabled`, `config`, and for new agents `content` or `source`.',
      body: SubSessionRequest,
      idempotent: true,
      success: { status: 201, description: "The child's plan.", schema: MountPlanView },
      errors: ['MOUNT_PLAN_NOT_FOUND', ...CREATE_ERRORS],
      async handle({ params: { session_id }, body, once, caller, services: { plans, store } }) {
        const scope = planScope(caller);
        const child_id = body.session_id ?? (once && rootSessionId(once.id));
        if (once?.retried && child_id && (await store.has(child_id)))
          return storedReply(plans, 'sessions', child_id);
        const plan = await plans.draftChild(session_id, { ...body, session_id: child_id, scope });
        await plans.create(plan, { origin: 'sub-session', agent_name: body.agent_name });
        const location = `/api/v1/sessions/${plan.session.session_id}`;
        return { json: plans.remember(plan, 'full'), headers: { location } };
      },
    }),
  ];
}

/** A session that another one delegated to has no record of the daemon's; its plan has all there is to count. */
async function countMounts(plans: Services['plans'], session_id: string) {
  try {
    const { mount_points } = await plans.get(session_id);
    return { mount_point_count: mount_points.length, module_types: countKinds(mount_points) };
  } catch (error) {
    if (error instanceof DaemonError && error.code === 'MOUNT_PLAN_NOT_FOUND') return null;
    throw error;
  }
}

function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );
}
