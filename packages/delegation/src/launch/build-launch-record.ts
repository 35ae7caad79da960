import {
  type Clock,
  isoTime,
  isPlainObject,
  type JsonObject,
  type MountPlan,
  redactSecrets,
} from '@amplifier/core';
import { subSessionId } from '@amplifier/sessions';
import { type Grant, grantForSafetyMode, intersectGrants, SafetyMode } from '@amplifier/workspace';
import type { ResolvedAgent } from '../agents.js';
import { type ContextFiles, inheritContext, taskMessage } from '../context/inherit-context.js';
import { DEFAULT_CONTEXT_TURNS } from '../defaults.js';
import type { DelegateConfig } from '../delegate-config.js';
import { checkSchema, formPrompt } from '../engine/structured-answer.js';
import type { LaunchRecord } from '../launch-record.js';
import { tightenLimits } from '../limits/limits.js';
import { chooseModel } from '../model/choose-model.js';
import type { Parent } from '../parent.js';
import type { DelegateRequest } from '../request.js';
import { childPlan } from './child-plan.js';
import { MadeBefore } from './made-before.js';

/** A launch that has been worked out but not carried out. */
export interface PlannedLaunch {
  record: LaunchRecord;
  /** The child's first message: what it inherits and its task. */
  prompt: string;
  /** What the agent lays over the plan. */
  overlay: JsonObject;
  /** The merged plan with the secrets the record leaves out. Never stored. */
  plan: MountPlan;
  /** It has been validated. */
  isValidPlan?: boolean;
}

export interface LaunchSource {
  request: DelegateRequest;
  agent: ResolvedAgent;
  parent: Parent;
  config: DelegateConfig;
  clock: Clock;
  files?: ContextFiles | undefined;
}

/** Resolves a request to the one document that says everything about the child. Changes nothing. */
export async function buildLaunchRecord({
  request,
  agent,
  parent,
  config,
  clock,
  files,
}: LaunchSource): Promise<PlannedLaunch> {
  await checkSchema(request.output_schema);
  const { overlay } = agent;
  const shared = childPlan(parent.plan, overlay, request, config);
  const { plan, model } = await chooseModel(shared.plan, overlay, request, parent);
  const isShared = plan === shared.plan;
  const wish = contextWish(request, config);
  const inherited = inheritContext(wish.depth === 'none' ? [] : await parent.history(), wish);
  const session_id = subSessionId(parent, agent.name);
  const safety_mode = tighterMode(parent.safety_mode, request.safety_mode ?? modeOf(overlay));
  const { cwd, trusted, trust_declared } = parent.workspace;
  const isolation = request.isolation ?? (safety_mode === 'propose' ? 'worktree' : 'none');
  const declared = trust_declared ? { trust_declared } : {};
  const workspace = { cwd, trusted, isolation, ...declared } as const;
  const grant = childGrant(parent.grant, safety_mode, workspace);
  const metadata = {
    ...request.metadata,
    agent_name: agent.name,
    ...(request.tool_call_id ? { tool_call_id: request.tool_call_id } : {}),
    ...(request.parallel_group_id ? { parallel_group_id: request.parallel_group_id } : {}),
  };
  const record: LaunchRecord = {
    version: 1,
    session_id,
    parent_id: parent.session_id,
    root_id: parent.root_id,
    trace_id: parent.trace_id,
    depth: parent.depth + 1,
    agent: {
      name: agent.name,
      origin: agent.origin,
      digest: agent.digest,
      instruction: instructionOf(overlay),
    },
    engine: agent.engine ?? 'in_process',
    plan: withMetadata(isShared ? shared.stored : redactSecrets(plan), redactSecrets(metadata)),
    model: redactSecrets(model),
    context: files ? { ...inherited.manifest, files } : inherited.manifest,
    grant,
    limits: tightenLimits(parent.limits, { ...request.limits, ...timeoutOf(request, config) }),
    safety_mode,
    workspace,
    instruction: request.instruction,
    tool_call_id: request.tool_call_id ?? null,
    parallel_group_id: request.parallel_group_id ?? null,
    background: (request.background ?? false) && config.features.background.enabled,
    agent_access:
      overlay.agents === undefined
        ? parent.agent_access
        : overlay.agents === 'all'
          ? parent.agent_access
          : 'roster',
    may_ask: config.features.questions.enabled,
    self_depth: agent.name === 'self' ? parent.self_depth + 1 : 0,
    output_schema: request.output_schema ?? null,
    created_at: isoTime(clock),
  };
  const task = request.output_schema
    ? `${request.instruction}\n\n${formPrompt(request.output_schema)}`
    : request.instruction;
  const prompt = taskMessage(inherited.text, task);
  const isValidPlan = isShared && shared.isValid;
  return { record, prompt, overlay: shared.overlay, plan: withMetadata(plan, metadata), isValidPlan };
}

/** By parent's grant. */
const GRANTS = new MadeBefore<Grant>();

/** What the parent has and the safety mode allows. */
function childGrant(
  parent: Grant,
  mode: SafetyMode,
  workspace: Parameters<typeof grantForSafetyMode>[1],
): Grant {
  return GRANTS.get(parent, [mode, workspace, parent], () =>
    intersectGrants(parent, grantForSafetyMode(mode, workspace)),
  );
}

/** What children share stays as it is; what tells them apart is on top. */
function withMetadata(plan: MountPlan, metadata: JsonObject): MountPlan {
  return { ...plan, session: Object.assign({}, plan.session, { metadata }) };
}

function contextWish(
  { context_depth, context_turns, context_scope }: DelegateRequest,
  { features }: DelegateConfig,
) {
  const { enabled, max_turns } = features.context_inheritance;
  return {
    depth: enabled ? (context_depth ?? 'recent') : ('none' as const),
    turns: Math.min(context_turns ?? DEFAULT_CONTEXT_TURNS, max_turns),
    scope: context_scope ?? ('conversation' as const),
  };
}

function timeoutOf({ timeout }: DelegateRequest, { settings }: DelegateConfig): { timeout?: number | null } {
  return { timeout: timeout === undefined ? settings.timeout : timeout };
}

export function instructionOf(overlay: JsonObject): string | null {
  const { instruction, system } = overlay;
  const own =
    typeof instruction === 'string' ? instruction : isPlainObject(system) ? system.instruction : null;
  return typeof own === 'string' && own.trim() !== '' ? own : null;
}

function modeOf({ safety_mode }: JsonObject): SafetyMode | undefined {
  return SafetyMode.options.find((mode) => mode === safety_mode);
}

export function tighterMode(parent: SafetyMode, wanted: SafetyMode | undefined): SafetyMode {
  const order = SafetyMode.options;
  return wanted !== undefined && order.indexOf(wanted) < order.indexOf(parent) ? wanted : parent;
}
