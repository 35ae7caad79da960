import {
  type Clock,
  errorInfo,
  isoTime,
  type JsonObject,
  newTraceId,
  rootSessionId,
  subSessionId,
  ulidSource,
} from '@amplifier/core';
import type { LaunchRecord } from '@amplifier/delegation';
import type { LogPool } from '@amplifier/host/runs';
import {
  checkSessionId,
  hasCode,
  isTerminal,
  type SessionMetadata,
  type SessionStore,
} from '@amplifier/sessions';
import { projectSlug } from '@amplifier/sessions/record';
import type { z } from '@hono/zod-openapi';
import type { Scope } from '../auth/scope.js';
import { ByteCache, type Pieces } from '../byte-cache.js';
import { DaemonError } from '../daemon-error.js';
import { PLAN_CACHE_BYTES } from '../defaults.js';
import { parseProfileId } from '../profiles/profile-names.js';
import type { ProfileStore } from '../profiles/profile-store.js';
import type { RefResolver } from '../profiles/ref-resolver.js';
import { type DaemonRecord, daemonRecord } from '../sessions/session-view.js';
import { derivePlan, profilePlan } from './build-plan.js';
import type { HostPlans } from './host-plans.js';
import { fillOverlaySources } from './overlay-sources.js';
import { planDocument, planOf } from './plan-document.js';
import type { MountPlanRequest, PlanBase, PublicPlan, SubSessionRequest } from './plan-schema.js';
import { BUNDLES, launchedPlan } from './public-plan.js';
import { countKinds, type PlanViewName, renderPlan } from './render-plan.js';
import { checkPlanFor } from './scope-allows.js';

/** A plan as it was asked for. */
export interface NewPlan extends Omit<z.infer<typeof MountPlanRequest>, 'profile_id'> {
  /** Null: the bundle that the user's settings name. */
  profile_id: string | null;
  /** Where it is to work, which decides what the user's own settings say. */
  working_dir?: string | null;
  /** Of whoever asks: it decides what overlay and settings may add. */
  scope: Scope;
}

/** What a new session has beside its plan. */
export interface NewSessionDetails {
  origin: DaemonRecord['origin'];
  name?: string | null | undefined;
  agent_name?: string | null | undefined;
  working_dir?: string | null | undefined;
  metadata?: JsonObject | undefined;
  start?: boolean | undefined;
  place?: string | undefined;
}

interface Parts {
  profiles: ProfileStore;
  refs: RefResolver;
  store: SessionStore;
  logs: LogPool;
  clock: Clock;
  limits: { max_depth: number; max_children: number };
  /** Folders of our own state: no overlay may take a text from there. */
  homes: readonly string[];
  users: HostPlans;
}

/** Words that stand where an id could, so no session may have them for one. */
const RESERVED = new Set([
  'active',
  'cleanup',
  'search',
  'import',
  'status',
  'generate',
  'validate',
  'health',
]);

/** Plans, and the sessions that are created with them. A stored plan never changes. */
export class MountPlans {
  readonly #parts: Parts;
  readonly #rendered: ByteCache;
  readonly #ulid: () => string;

  constructor(parts: Parts, rendered = new ByteCache(PLAN_CACHE_BYTES)) {
    this.#parts = parts;
    this.#rendered = rendered;
    this.#ulid = ulidSource(parts.clock);
  }

  /** Those of the sessions in another view of the store. Whoever asks for one by its id must know that it is there. */
  of(store: SessionStore): MountPlans {
    return new MountPlans({ ...this.#parts, store }, this.#rendered);
  }

  /** A plan from a profile. Nothing is stored. */
  async draft(request: NewPlan): Promise<PublicPlan> {
    const { refs, clock, homes } = this.#parts;
    const parent_session_id = request.parent_session_id ?? null;
    if (parent_session_id !== null) await this.#parent(parent_session_id, false);
    const { scope } = request;
    const session_id = this.newId(request.session_id);
    const { base, folder } = await this.#base(request);
    const plan = derivePlan(base, {
      session_id,
      parent_session_id,
      created_at: isoTime(clock),
      settings: request.settings_overrides ?? {},
      overlay: await fillOverlaySources(request.agent_overlay ?? {}, { refs, base: folder, homes, scope }),
    });
    checkPlanFor(scope, base, plan);
    return plan;
  }

  /** A plan for a child, from the plan its parent has. */
  async draftChild(
    parent_session_id: string,
    request: z.infer<typeof SubSessionRequest> & { scope: Scope },
  ): Promise<PublicPlan> {
    const { profiles, refs, clock, homes } = this.#parts;
    const metadata = await this.#parent(parent_session_id, request.allow_ended_parent ?? false);
    const stored = await this.get(parent_session_id);
    const { profile_id } = stored.session;
    const isProfiles = request.refresh && !profile_id.startsWith(BUNDLES);
    const profile = isProfiles ? await profiles.load(parseProfileId(profile_id)) : null;
    const plan = {
      session_id: request.session_id
        ? this.newId(request.session_id)
        : subSessionId(
            { session_id: parent_session_id, trace_id: metadata.trace_id ?? newTraceId() },
            request.agent_name ?? 'agent',
          ),
      parent_session_id,
      created_at: isoTime(clock),
      settings: request.settings_overrides ?? {},
      overlay: await fillOverlaySources(request.agent_overlay, {
        refs,
        base: profile?.folder ?? null,
        homes,
        scope: request.scope,
      }),
    };
    const { settings } = stored.session;
    const base = profile ? derivePlan(profilePlan(profile), { ...plan, settings, overlay: {} }) : stored;
    const derived = derivePlan(base, plan);
    checkPlanFor(request.scope, base, derived);
    return derived;
  }

  /** Brings a session into being with its plan: both are on disk when this resolves, or neither is. */
  async create(plan: PublicPlan, details: NewSessionDetails): Promise<SessionMetadata> {
    const { store, logs, users } = this.#parts;
    const { session_id, profile_id, parent_session_id, lock_hash, task } = plan.session;
    const record: DaemonRecord = {
      origin: details.origin,
      lock_hash,
      mount_point_count: plan.mount_points.length,
      module_types: countKinds(plan.mount_points),
      max_depth: typeof task.max_recursion_depth === 'number' ? task.max_recursion_depth : null,
    };
    const log = await store.create(
      {
        session_id,
        parent_id: parent_session_id,
        profile_name: profile_id,
        name: details.name ?? null,
        agent_name: details.agent_name ?? null,
        working_dir: details.working_dir ?? null,
        ...(details.place === undefined ? {} : { place: details.place }),
        ...(users.servesBundles && details.working_dir ? { project: projectSlug(details.working_dir) } : {}),
        extra: { daemon: record, metadata: details.metadata ?? {} },
      },
      {
        documents: { mount_plan: planDocument(plan) },
        events: details.start ? [{ name: 'session:status', data: { status: 'active' } }] : [],
      },
    );
    logs.adopt(log);
    if (parent_session_id) await this.#noteChild(parent_session_id, session_id, details.agent_name ?? null);
    return log.metadata;
  }

  async get(session_id: string): Promise<PublicPlan> {
    const { store } = this.#parts;
    const plan = await store.document(session_id, 'mount_plan');
    if (plan) return planOf(plan);
    const launch = (await store.document(session_id, 'launch')) as unknown as LaunchRecord | null;
    const above = launch?.parent_id ? await this.get(launch.parent_id) : null;
    if (launch) return launchedPlan(launch, above);
    throw new DaemonError('MOUNT_PLAN_NOT_FOUND', `Session ${session_id} has no mount plan.`);
  }

  /** What `mount_plan.json` says; null where there is no plan, such as for a session whose parent was deleted. */
  async file(session_id: string): Promise<JsonObject | null> {
    try {
      const pieces = renderPlan(await this.get(session_id), 'full');
      return JSON.parse(Buffer.concat(pieces).toString()) as JsonObject;
    } catch (error) {
      const { code } = errorInfo(error);
      if (code === 'MOUNT_PLAN_NOT_FOUND' || code === 'SESSION_NOT_FOUND') return null;
      throw error;
    }
  }

  async render(session_id: string, view: PlanViewName): Promise<Pieces> {
    const key = `${view} ${checkSessionId(session_id)}`;
    const known = this.#rendered.get(key);
    if (known) return known;
    return this.remember(await this.get(session_id), view);
  }

  /** Renders a plan that is stored, for those who ask next. */
  remember(plan: PublicPlan, view: PlanViewName): Pieces {
    const pieces = renderPlan(plan, view);
    this.#rendered.set(`${view} ${plan.session.session_id}`, pieces);
    return pieces;
  }

  forget(session_ids: readonly string[]): void {
    for (const session_id of session_ids) {
      for (const view of ['full', 'flat', 'ids']) this.#rendered.delete(`${view} ${session_id}`);
    }
  }

  /** The id a new session gets: the one asked for, checked, or a fresh one. */
  newId(given: string | null | undefined): string {
    if (given == null) return rootSessionId(this.#ulid());
    if (RESERVED.has(given)) {
      throw new DaemonError('INVALID_SESSION_ID', `${given} is reserved and cannot be a session id.`);
    }
    return checkSessionId(given);
  }

  /** What is asked for before anything is laid over it, and the folder that relative sources begin in. */
  async #base({
    profile_id,
    working_dir = null,
  }: NewPlan): Promise<{ base: PlanBase; folder: string | null }> {
    const { profiles, users } = this.#parts;
    if (users.servesBundles && (profile_id === null || profile_id.startsWith(BUNDLES))) {
      return { base: await users.ofBundle(profile_id?.slice(BUNDLES.length), working_dir), folder: null };
    }
    const profile = await profiles.load(parseProfileId(profile_id ?? ''));
    return { base: await users.withProviders(profilePlan(profile), working_dir), folder: profile.folder };
  }

  /** The parent of a session that is taken in from elsewhere, with the limits of a new one; null where there is none. It may have ended. */
  async parentOf(session_id: string): Promise<SessionMetadata | null> {
    return (await this.#parts.store.has(session_id)) ? this.#parent(session_id, true) : null;
  }

  async #parent(session_id: string, allowEnded: boolean): Promise<SessionMetadata> {
    const { store, limits } = this.#parts;
    checkSessionId(session_id);
    if (!(await store.has(session_id))) {
      throw new DaemonError('PARENT_SESSION_NOT_FOUND', `The parent session ${session_id} does not exist.`);
    }
    const metadata = await store.metadata(session_id);
    if (isTerminal(metadata.status) && !allowEnded) {
      throw new DaemonError(
        'PARENT_ENDED',
        `Session ${session_id} is ${metadata.status}. Resume it, or set allow_ended_parent.`,
      );
    }
    const max_depth = daemonRecord(metadata)?.max_depth ?? limits.max_depth;
    if (metadata.depth + 1 > max_depth) {
      throw new DaemonError(
        'DEPTH_EXCEEDED',
        `Session ${session_id} is at depth ${metadata.depth}, and the maximum is ${max_depth}.`,
      );
    }
    const children = await store.children(session_id);
    if (children.length >= limits.max_children) {
      throw new DaemonError(
        'TOO_MANY_CHILDREN',
        `Session ${session_id} has ${children.length} children, the maximum number.`,
      );
    }
    return metadata;
  }

  async #noteChild(parent_id: string, session_id: string, agent: string | null): Promise<void> {
    const data = {
      sub_session_id: session_id,
      parent_session_id: parent_id,
      agent: agent ?? 'agent',
      metadata: { via: 'api' },
    };
    try {
      await this.#parts.logs.use(parent_id, (log) =>
        log.appendEvents([{ name: 'delegate:agent_spawned', data }]),
      );
    } catch (error) {
      // Whoever is running the parent counts its children itself.
      if (!hasCode(error, 'SESSION_LOCKED')) throw error;
    }
  }
}
