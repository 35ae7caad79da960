import { z } from '@hono/zod-openapi';
import type { DaemonErrorCode } from '../error-codes.js';

/** Plans of another version are refused, not guessed at. */
export const PLAN_VERSION = 1;

/** Why a session cannot be created with the plan that was asked for. */
export const CREATE_ERRORS = [
  'PARENT_SESSION_NOT_FOUND',
  'PARENT_ENDED',
  'DEPTH_EXCEEDED',
  'TOO_MANY_CHILDREN',
  'SESSION_EXISTS',
  'INVALID_OVERLAY',
  'INVALID_SESSION_ID',
] as const satisfies readonly DaemonErrorCode[];

const freeForm = z.record(z.string(), z.unknown());
const text = z.string().max(2_000);

const shared = {
  module_id: text.openapi({ example: 'foundation/base.agent.zen-architect' }),
  /** The module's own id, or the name of the agent or context. */
  module: text.optional(),
  enabled: z.boolean().default(true),
  config: freeForm.default({}),
  metadata: freeForm.default({}),
};

/** Text that a model reads: it travels inside of the plan. */
const EmbeddedMount = z
  .object({
    mount_type: z.literal('embedded'),
    module_type: z.enum(['agent', 'context']),
    content: z.string(),
    ...shared,
  })
  .openapi('EmbeddedMount');

/** Code that is loaded when the session runs: the plan says where it is. */
const ReferencedMount = z
  .object({
    mount_type: z.literal('referenced'),
    module_type: z.enum(['orchestrator', 'context-manager', 'provider', 'tool', 'hook']),
    source_path: text.openapi({ description: 'A file:// URL into the compiled profile.' }),
    ...shared,
  })
  .openapi('ReferencedMount');

export const MountPoint = z.discriminatedUnion('mount_type', [EmbeddedMount, ReferencedMount]);
export type MountPoint = z.infer<typeof MountPoint>;
export type MountKind = MountPoint['module_type'];

const PlanSession = z
  .object({
    session_id: z.string(),
    profile_id: z.string(),
    parent_session_id: z.string().nullable().default(null),
    settings: freeForm.default({}),
    created_at: z.string(),
    lock_hash: z.string().nullable().default(null),
    instruction: z
      .string()
      .default('')
      .openapi({ description: "The profile's own text: the system prompt." }),
    session: freeForm
      .default({})
      .openapi({ description: 'Plain settings of the profile, such as injection_size_limit.' }),
    task: freeForm.default({}),
    agent_access: z.enum(['all', 'roster']).optional().openapi({
      description: '`roster`: only the agents of the plan may be delegated to.',
    }),
    spawn: freeForm.optional().openapi({ description: 'The bundle’s settings for child sessions.' }),
  })
  .openapi('PlanSession');

/** A plan in its public form. The views are made from it. */
export interface PublicPlan {
  format_version: typeof PLAN_VERSION;
  session: z.infer<typeof PlanSession>;
  mount_points: MountPoint[];
}

/** A plan of no session yet: that of a profile, of a bundle or of a parent. */
export interface PlanBase extends Pick<PublicPlan, 'mount_points'> {
  session: Omit<PublicPlan['session'], 'session_id' | 'parent_session_id' | 'created_at'>;
}

const views = {
  orchestrator: MountPoint.nullable(),
  context_manager: MountPoint.nullable(),
  agents: z.record(z.string(), MountPoint),
  context: z.record(z.string(), MountPoint),
  providers: z.record(z.string(), MountPoint),
  tools: z.record(z.string(), MountPoint),
  hooks: z.record(z.string(), MountPoint),
  profiles: z.record(z.string(), MountPoint).openapi({ description: 'Reserved; always empty.' }),
};

export const MountPlanView = z
  .object({
    format_version: z.int(),
    session: PlanSession,
    mount_points: z.array(MountPoint),
    ...views,
  })
  .openapi('MountPlan');

/** A plan as somebody posts it: the views may be left out, and are not looked at. */
export const PostedPlan = z
  .looseObject({
    format_version: z.int().default(PLAN_VERSION),
    session: z.looseObject({ session_id: z.string().optional(), profile_id: z.string().optional() }),
    mount_points: z.array(z.looseObject({ mount_type: z.string(), module_id: z.string() })).max(10_000),
  })
  .openapi('PostedMountPlan');
export type PostedPlan = z.infer<typeof PostedPlan>;

export const MountPlanRequest = z
  .object({
    profile_id: z.string().max(300).optional().openapi({ example: 'foundation/base' }),
    profile_name: z.string().max(300).optional().openapi({ description: 'The same as `profile_id`.' }),
    session_id: z.string().max(128).nullish(),
    parent_session_id: z.string().max(128).nullish(),
    settings_overrides: freeForm.nullish().openapi({ example: { llm: { model: 'gpt-4' } } }),
    agent_overlay: freeForm.nullish(),
    dry_run: z.boolean().optional().openapi({ description: 'Create the plan, store nothing.' }),
  })
  .openapi('MountPlanRequest', {
    example: { profile_id: 'foundation/base', settings_overrides: { llm: { model: 'gpt-4' } } },
  });

export const SubSessionRequest = z
  .object({
    agent_overlay: freeForm.default({}).openapi({
      example: { agents: { 'zen-architect': { enabled: true, config: { verbose: true } } } },
    }),
    settings_overrides: freeForm.nullish(),
    session_id: z.string().max(128).nullish(),
    agent_name: z.string().max(100).nullish(),
    refresh: z
      .boolean()
      .optional()
      .openapi({ description: 'Start from the current profile, not from the parent’s plan.' }),
    allow_ended_parent: z.boolean().optional(),
  })
  .openapi('SubSessionRequest');

export const MountPlanSummary = z
  .object({
    session_id: z.string(),
    profile_id: z.string().nullable(),
    parent_session_id: z.string().nullable(),
    created_at: z.string(),
    mount_point_count: z.int(),
    module_types: z.record(z.string(), z.int()),
  })
  .openapi('MountPlanSummary');
