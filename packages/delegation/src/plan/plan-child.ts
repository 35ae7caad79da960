import { type Clock, isoTime, redactSecrets, subSessionId } from '@amplifier/core';
import { chooseModel } from '@amplifier/foundation';
import {
  grantForSafetyMode,
  intersectGrants,
  isWiderMode,
  limitNetwork,
  tighterMode,
  tighterNetwork,
} from '@amplifier/workspace';
import { checkSchema, formPrompt } from '../engine/structured-answer.js';
import { tightenLimits } from '../metering/limits.js';
import { requireLaunchable } from '../project.js';
import type { DelegateConfig } from '../request/delegate-config.js';
import { DelegationError } from '../request/delegation-error.js';
import { instructionOf } from '../request/instruction.js';
import { type DelegateRequest, resultLimit, summaryRequest } from '../request/request.js';
import type { Runtime } from '../runtime.js';
import type { Parent } from '../turn/parent.js';
import type { PlannedLaunch } from '../turn/turn.js';
import { type ResolvedAgent, resolveAgent } from './agents.js';
import { childPlan } from './child-plan.js';
import { type ContextFiles, inheritContext, taskMessage } from './inherit-context.js';
import type { LaunchRecord } from './launch-record.js';
import { skillsOf } from './read-overlay.js';
import { isolationIn, refuseWithoutTree } from './with-rights.js';

/** Works out the first turn of the child that a request leads to: its record, its plan, its instruction. Changes nothing. */
export async function planChild(
  { project, clock }: Runtime,
  asked: DelegateRequest,
  parent: Parent,
  config: DelegateConfig,
  /** The parent's conversation in brief, where the request asks for it. */
  summary?: string,
): Promise<PlannedLaunch> {
  if (asked.agent === undefined || asked.agent === '') {
    const message = 'Name an agent to delegate to, or a session_id to resume.';
    throw new DelegationError(message, { code: 'AGENT_REQUIRED' });
  }
  const agent = await resolveAgent(asked.agent, parent, project.agents);
  const { cwd } = parent.workspace;
  const reader = { cwd, grant: parent.grant };
  const { text: instruction, attached } = await instructionOf(project, asked, reader, parent);
  const selected = config.features.provider_selection.enabled ? asked : withoutSelection(asked);
  const files = await project.contextFiles(cwd);
  const source = { request: selected, instruction, attached, agent, parent, config, files, summary, clock };
  const planned = await planLaunch(source);
  await requireLaunchable(project, planned.launch);
  return planned;
}

function withoutSelection(request: DelegateRequest): DelegateRequest {
  const { provider_preferences: _, model_role: __, ...rest } = request;
  return rest;
}

interface LaunchSource extends Pick<PlannedLaunch, 'instruction' | 'attached'> {
  /** `instruction` replaces the one in the request. */
  request: DelegateRequest;
  agent: ResolvedAgent;
  parent: Parent;
  config: DelegateConfig;
  clock: Clock;
  files: ContextFiles | undefined;
  summary: string | undefined;
}

/** Resolves a request to the one document that says everything about the child. */
async function planLaunch(source: LaunchSource): Promise<PlannedLaunch> {
  const { request, instruction, attached, agent, parent, config, clock, files, summary } = source;
  if (request.output_schema) await checkSchema(request.output_schema);
  const { overlay } = agent;
  const shared = childPlan(parent.plan, overlay, request, config);
  const { agent: terms } = shared;
  const { plan, model, missed } = await chooseModel(shared.plan, overlay, request, parent);
  if (missed && request.strict_preferences)
    throw new DelegationError(`None of the preferred models is available. ${missed.join(' ')}`, {
      code: 'STRICT_PREFERENCE',
    });
  const context = { ...contextOptions(request, config), summary };
  const inherited = inheritContext(context.depth === 'none' ? [] : await parent.history(), context);
  const session_id = subSessionId(parent, agent.name);
  refuseWider(request, parent);
  const safety_mode = tighterMode(parent.safety_mode, request.safety_mode ?? terms.safety_mode);
  const { cwd, folder, trusted, trust_declared, acting } = parent.workspace;
  refuseWithoutTree(request, safety_mode);
  const isolation = isolationIn(safety_mode, request.isolation);
  const workspace = {
    ...{ cwd, trusted, trust_declared, acting, isolation },
    // The patch of a tree that the caller asked for goes to the caller alone.
    folder: request.isolation === undefined ? folder : undefined,
  };
  const allowed = grantForSafetyMode(safety_mode, { ...workspace, network: parent.grant.network });
  const grant = limitNetwork(intersectGrants(parent.grant, allowed), request.network, terms.network);
  const metadata = {
    ...request.metadata,
    agent_name: agent.name,
    ...(request.tool_call_id ? { tool_call_id: request.tool_call_id } : {}),
    ...(request.parallel_group_id ? { parallel_group_id: request.parallel_group_id } : {}),
  };
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
      instruction: terms.instruction,
    },
    engine: agent.engine ?? 'in_process',
    plan: plan.storedWith(metadata),
    model: redactSecrets(model),
    context: { ...inherited.manifest, files },
    grant,
    limits: tightenLimits(tightenLimits(parent.limits, terms.limits), {
      ...request.limits,
      timeout: request.timeout === undefined ? config.settings.timeout : request.timeout,
    }),
    safety_mode,
    workspace,
    instruction,
    tool_call_id: request.tool_call_id ?? null,
    parallel_group_id: request.parallel_group_id ?? null,
    background: request.background && config.features.background.enabled,
    agent_access:
      overlay.agents === undefined
        ? parent.agent_access
        : overlay.agents === 'all'
          ? parent.agent_access
          : 'roster',
    may_ask: config.features.questions.enabled,
    self_depth: agent.name === 'self' ? parent.self_depth + 1 : 0,
    output_schema: request.output_schema ?? null,
    max_result: resultLimit(request),
    skills: skillsOf(terms, request.skills),
    needs_servers: terms.needs_servers,
    created_at: isoTime(clock),
  };
  const task = [
    instruction,
    summaryRequest(request),
    request.output_schema ? formPrompt(request.output_schema) : '',
  ]
    .filter(Boolean)
    .join('\n\n');
  return {
    launch,
    number: 1,
    instruction: taskMessage(inherited.text, task),
    attached,
    plan: plan.json,
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

function contextOptions(
  { context_depth, context_turns, context_scope }: DelegateRequest,
  { features }: DelegateConfig,
) {
  const { enabled, max_turns } = features.context_inheritance;
  return {
    depth: enabled ? context_depth : ('none' as const),
    turns: Math.min(context_turns, max_turns),
    scope: context_scope,
  };
}
