import {
  type CancellationToken,
  type Clock,
  cloneJson,
  isoTime,
  isPlainObject,
  type JsonObject,
  type MountPlan,
  redactSecrets,
} from '@amplifier/core';
import {
  type ModelCatalog,
  type ModelRoleResolver,
  mergeConfigs,
  modelCatalog,
  type ProviderPreference,
} from '@amplifier/foundation';
import { newTraceId, rootSessionId, ulidSource } from '@amplifier/sessions';
import { type Grant, grantForSafetyMode, intersectGrants, type SafetyMode } from '@amplifier/workspace';
import type { AgentCatalog } from '../agents.js';
import type { ContextFiles } from '../context/inherit-context.js';
import { DelegationError } from '../delegation-error.js';
import { checkSchema, formPrompt } from '../engine/structured-answer.js';
import { Limits, type LimitWishes } from '../limits/limits.js';
import { chooseModel } from '../model/choose-model.js';
import { instructionOf, type PlannedLaunch } from './build-launch-record.js';

/** A session without a parent: a door's own plan and its own choice of what is allowed. */
export interface RootRequest {
  plan: MountPlan;
  instruction: string;
  /** An agent of the door's catalog to be; without one the plan speaks for itself. */
  agent?: string;
  /** The system prompt when there is no agent, or the agent has none. */
  system_prompt?: string;
  /** The bundle the plan was made of, as the text of one file, to keep beside the session. */
  bundle?: string;
  session_id?: string;
  cwd: string;
  trusted: boolean;
  /** See `LaunchRecord.workspace`. */
  trust_declared?: boolean;
  safety_mode: SafetyMode;
  /** Anything tighter than the safety mode. */
  grant?: Grant;
  limits?: LimitWishes;
  provider_preferences?: ProviderPreference[];
  /** What is known of the models of the plan's providers. */
  models?: ModelCatalog;
  /** The roles of the plan; without them the agent's role means nothing. */
  roles?: ModelRoleResolver | null;
  output_schema?: JsonObject;
  /** Say after each turn what it changed in the folder. */
  report_changes?: boolean;
  metadata?: JsonObject;
  cancellation?: CancellationToken;
  /** Called when the session is on disk and nothing of it has run. */
  onCreated?: () => void;
  /** Sees every event of the session and of everything below it. */
  onEvent?: (name: string, data: Readonly<JsonObject>) => void;
}

/** Does a plan keep its session to the agents of its roster? */
function hasClosedRoster({ spawn }: MountPlan): boolean {
  return isPlainObject(spawn) && spawn.agent_access !== undefined && spawn.agent_access !== 'all';
}

function isOpen(access: unknown): boolean {
  return access === undefined || access === 'all';
}

const nextUlid = ulidSource();

/** The agent laid over the plan. The plan's `spawn` section is about children: a root keeps all its own tools. */
function asRoot({ spawn, ...plan }: MountPlan, declared: JsonObject): MountPlan {
  const merged = cloneJson(mergeConfigs(plan, declared));
  return merged.spawn === undefined && spawn !== undefined ? { ...merged, spawn: cloneJson(spawn) } : merged;
}

/** The launch record of a root, by the same fields and with the same meaning as that of a child. */
export async function buildRootRecord(
  request: RootRequest,
  catalog: AgentCatalog,
  clock: Clock,
  files?: ContextFiles,
): Promise<PlannedLaunch> {
  const agent = request.agent === undefined ? null : await catalog.find(request.agent);
  if (request.agent !== undefined && !agent) {
    throw new DelegationError(`Agent '${request.agent}' not found.`, {
      code: 'AGENT_NOT_FOUND',
      origin: request.agent,
    });
  }
  const overlay = agent?.overlay ?? {};
  const { instruction: _, name: __, description: ___, ...declared } = overlay;
  const merged = asRoot(request.plan, declared);
  const wish = {
    instruction: request.instruction,
    ...(request.provider_preferences ? { provider_preferences: request.provider_preferences } : {}),
  };
  const { plan, model } = await chooseModel(merged, overlay, wish, {
    models: () => request.models ?? modelCatalog(new Map()),
    roles: () => request.roles ?? null,
  });
  await checkSchema(request.output_schema);
  const session_id = request.session_id ?? rootSessionId(nextUlid());
  const workspace = {
    cwd: request.cwd,
    trusted: request.trusted,
    ...(request.trust_declared ? { trust_declared: true } : {}),
    isolation: request.safety_mode === 'propose' ? ('worktree' as const) : ('none' as const),
    ...(request.report_changes ? { report_changes: true } : {}),
  };
  const allowed = grantForSafetyMode(request.safety_mode, workspace);
  if (request.metadata) plan.session.metadata = request.metadata;
  const prompt = request.output_schema
    ? `${request.instruction}\n\n${formPrompt(request.output_schema)}`
    : request.instruction;
  return {
    overlay,
    plan,
    prompt,
    record: {
      version: 1,
      session_id,
      parent_id: null,
      root_id: session_id,
      trace_id: newTraceId(),
      depth: 0,
      agent: {
        name: agent?.name ?? null,
        origin: agent?.origin ?? 'plan',
        digest: agent?.digest ?? null,
        instruction: instructionOf(overlay) ?? request.system_prompt ?? null,
      },
      engine: agent?.engine ?? 'in_process',
      plan: redactSecrets(plan),
      model: redactSecrets(model),
      context: {
        ...{ depth: 'none', turns: null, scope: 'conversation', passed: [], dropped: [], tokens: 0 },
        ...(files ? { files } : {}),
      },
      grant: request.grant ? intersectGrants(allowed, request.grant) : allowed,
      // A person may take as long as they like; only what is delegated has a time limit by default.
      limits: Limits.parse({ timeout: null, ...request.limits }),
      safety_mode: request.safety_mode,
      workspace,
      instruction: request.instruction,
      tool_call_id: null,
      parallel_group_id: null,
      background: false,
      agent_access: isOpen(overlay.agents) && !hasClosedRoster(request.plan) ? 'all' : 'roster',
      may_ask: false,
      self_depth: 0,
      output_schema: request.output_schema ?? null,
      created_at: isoTime(clock),
    },
  };
}
