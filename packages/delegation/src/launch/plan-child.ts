import {
  type Clock,
  isoTime,
  type JsonObject,
  type MountPlan,
  redactSecrets,
  subSessionId,
} from '@amplifier/core';
import {
  grantForSafetyMode,
  intersectGrants,
  isWiderMode,
  limitNetwork,
  tighterMode,
  tighterNetwork,
} from '@amplifier/workspace';
import type { AgentCatalog, ResolvedAgent } from '../agents.js';
import { type ContextFiles, inheritContext, taskMessage } from '../context/inherit-context.js';
import { DEFAULT_CONTEXT_TURNS } from '../defaults.js';
import type { DelegateConfig } from '../delegate-config.js';
import { DelegationError } from '../delegation-error.js';
import { checkSchema, formPrompt } from '../engine/structured-answer.js';
import { resultLimit, summaryRequest } from '../hand-back-form.js';
import { type ExpandedInstruction, type InstructionReader, instructionOf } from '../instruction-of.js';
import type { LaunchRecord } from '../launch-record.js';
import { tightenLimits } from '../limits/limits.js';
import { chooseModel } from '../model/choose-model.js';
import type { Parent } from '../parent.js';
import type { DelegateRequest } from '../request.js';
import type { PlannedTurn } from '../turn.js';
import { childPlan } from './child-plan.js';
import {
  limitsOf,
  modeOf,
  networkOf,
  serversOf,
  skillsOf,
  instructionOf as systemInstructionOf,
} from './read-overlay.js';
import { resolveAgent } from './resolve-agent.js';
import { isolationIn, refuseWithoutTree } from './with-rights.js';

/** What a plan is made with, beside the request. */
export interface Planning {
  clock: Clock;
  agents: AgentCatalog;
  /** What the folder adds to the prompts of sessions that work there. */
  contextFiles(cwd: string): Promise<ContextFiles | undefined>;
  /** The instruction as it is stored, such as with the files it mentions. */
  expand(instruction: string, reader: InstructionReader): Promise<ExpandedInstruction>;
  /** Rejects for a launch that lacks something it declares. */
  check(launch: LaunchRecord): Promise<void>;
}

/** Works out the first turn of the child that a request leads to: its record, its plan, its instruction. Changes nothing. */
export async function planChild(
  planning: Planning,
  asked: DelegateRequest,
  parent: Parent,
  config: DelegateConfig,
  /** The parent's conversation in brief, where the request asks for it. */
  summary?: string,
): Promise<PlannedTurn> {
  if (asked.agent === undefined || asked.agent === '') {
    const message = 'Name an agent to delegate to, or a session_id to resume.';
    throw new DelegationError(message, { code: 'AGENT_REQUIRED' });
  }
  const agent = await resolveAgent(asked.agent, parent, planning.agents);
  const { cwd } = parent.workspace;
  const { text: instruction, attached } = await instructionOf(
    planning,
    asked,
    { cwd, grant: parent.grant },
    parent,
  );
  const selected = config.features.provider_selection.enabled ? asked : withoutSelection(asked);
  const request = { ...selected, instruction };
  const files = await planning.contextFiles(cwd);
  const planned = await planLaunch({ request, agent, parent, config, files, summary, clock: planning.clock });
  await planning.check(planned.launch);
  return { ...planned, attached };
}

function withoutSelection(request: DelegateRequest): DelegateRequest {
  const { provider_preferences: _, model_role: __, ...rest } = request;
  return rest;
}

interface LaunchSource {
  request: DelegateRequest;
  agent: ResolvedAgent;
  parent: Parent;
  config: DelegateConfig;
  clock: Clock;
  files: ContextFiles | undefined;
  summary: string | undefined;
}

/** Resolves a request to the one document that says everything about the child. */
async function planLaunch(source: LaunchSource): Promise<Omit<PlannedTurn, 'attached'>> {
  const { request, agent, parent, config, clock, files, summary } = source;
  await checkSchema(request.output_schema);
  const { overlay } = agent;
  const shared = childPlan(parent.plan, overlay, request, config);
  const { plan, model } = await chooseModel(shared.plan, overlay, request, parent);
  const isShared = plan === shared.plan;
  const wish = { ...contextWish(request, config), summary };
  const inherited = inheritContext(wish.depth === 'none' ? [] : await parent.history(), wish);
  const session_id = subSessionId(parent, agent.name);
  refuseWider(request, parent);
  const safety_mode = tighterMode(parent.safety_mode, request.safety_mode ?? modeOf(overlay));
  const { cwd, folder, trusted, trust_declared, acting } = parent.workspace;
  refuseWithoutTree(request, safety_mode);
  const isolation = isolationIn(safety_mode, request.isolation);
  const passedOn = {
    ...(trust_declared ? { trust_declared } : {}),
    ...(acting ? { acting } : {}),
    // A tree that was asked for is for trying things out: its patch is handed to whoever asked, and goes nowhere by itself.
    ...(folder !== undefined && request.isolation === undefined ? { folder } : {}),
  };
  const workspace = { cwd, trusted, isolation, ...passedOn } as const;
  const allowed = grantForSafetyMode(safety_mode, { ...workspace, network: parent.grant.network });
  const grant = limitNetwork(intersectGrants(parent.grant, allowed), request.network, networkOf(overlay));
  const metadata = {
    ...request.metadata,
    agent_name: agent.name,
    ...(request.tool_call_id ? { tool_call_id: request.tool_call_id } : {}),
    ...(request.parallel_group_id ? { parallel_group_id: request.parallel_group_id } : {}),
  };
  const limit = resultLimit(request);
  const launch: LaunchRecord = {
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
      instruction: systemInstructionOf(overlay),
    },
    engine: agent.engine ?? 'in_process',
    plan: withMetadata(isShared ? shared.stored : redactSecrets(plan), redactSecrets(metadata)),
    model: redactSecrets(model),
    context: files ? { ...inherited.manifest, files } : inherited.manifest,
    grant,
    limits: tightenLimits(tightenLimits(parent.limits, limitsOf(overlay)), {
      ...request.limits,
      ...timeoutOf(request, config),
    }),
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
    ...(limit === undefined ? {} : { max_result: limit }),
    ...skillsOf(overlay, request.skills),
    ...serversOf(overlay),
    created_at: isoTime(clock),
  };
  const task = [
    request.instruction,
    summaryRequest(request),
    request.output_schema ? formPrompt(request.output_schema) : '',
  ]
    .filter(Boolean)
    .join('\n\n');
  return {
    launch,
    number: 1,
    instruction: taskMessage(inherited.text, task),
    plan,
    overlay: shared.overlay,
  };
}

/** An agent's file may name any mode and gets at most its parent's; a caller who names a wider one is told. */
function refuseWider({ safety_mode, network, agent }: DelegateRequest, parent: Parent): void {
  if (network !== undefined && tighterNetwork(network, parent.grant.network) !== network)
    throw new DelegationError(
      `${agent ?? 'The agent'} cannot be given network: ${network}: the session '${parent.session_id}' has network: ${parent.grant.network}, and none below it may have more. Ask for less, or start another session.`,
      { code: 'SAFETY_MODE_WIDER', origin: parent.session_id },
    );
  if (safety_mode === undefined || !isWiderMode(safety_mode, parent.safety_mode)) return;
  throw new DelegationError(
    `${agent ?? 'The agent'} cannot be given ${safety_mode}: the session '${parent.session_id}' works in ${parent.safety_mode}, and none below it may do more. Ask for ${parent.safety_mode} or less, or start a session of your own.`,
    { code: 'SAFETY_MODE_WIDER', origin: parent.session_id },
  );
}

/** What children share stays as it is; what tells them apart is on top. */
export function withMetadata(plan: MountPlan, metadata: JsonObject): MountPlan {
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
