import {
  type CancellationToken,
  isoTime,
  isPlainObject,
  type JsonObject,
  Memo,
  type MountPlan,
  newTraceId,
  Plan,
  redactSecrets,
  rootSessionId,
  ulidSource,
} from '@amplifier/core';
import {
  chooseModel,
  type ModelCatalog,
  type ModelRoleResolver,
  mergeConfigs,
  modelCatalog,
  type ProviderPreference,
} from '@amplifier/foundation';
import {
  type Grant,
  grantForSafetyMode,
  intersectGrants,
  limitNetwork,
  type SafetyMode,
  tighterMode,
} from '@amplifier/workspace';
import { checkSchema, formPrompt } from '../engine/structured-answer.js';
import { type LimitOptions, Limits, tightenLimits } from '../metering/limits.js';
import { DelegationError } from '../request/delegation-error.js';
import type { ExpandedInstruction } from '../request/instruction.js';
import { type Attachment, readAttachments } from '../request/read-attachments.js';
import type { Runtime } from '../runtime.js';
import type { Observe, PlannedLaunch, Watching } from '../turn/turn.js';
import { declaredIn, onlyOwn, sharedPlan } from './child-plan.js';
import { skillsOf } from './read-overlay.js';
import { isolationIn } from './with-rights.js';

/** A session without a parent: an entry point's own plan and its own choice of what is allowed. */
export interface RootRequest {
  plan: MountPlan;
  instruction: string;
  /** See `ExpandedInstruction`. */
  forTurn?: ExpandedInstruction['forTurn'] | undefined;
  /** The agent of the entry point's catalog to be; without one the plan speaks for itself. */
  agent?: string | undefined;
  /** The system prompt when there is no agent, or the agent has none. */
  system_prompt?: string | undefined;
  /** The bundle the plan was made of, as the text of one file, to keep beside the session. */
  bundle?: string | undefined;
  session_id?: string | undefined;
  cwd: string;
  trusted: boolean;
  /** See `LaunchRecord.workspace`. */
  trust_declared?: boolean | undefined;
  /** The digest of what the folder's own files brought into the plan. */
  acting?: string | undefined;
  safety_mode: SafetyMode;
  /** Anything tighter than the safety mode. */
  grant?: Grant | undefined;
  limits?: LimitOptions | undefined;
  provider_preferences?: ProviderPreference[] | undefined;
  /** What is known of the models of the plan's providers. */
  models?: ModelCatalog | undefined;
  /** The roles of the plan; without them the agent's role means nothing. */
  roles?: ModelRoleResolver | null | undefined;
  output_schema?: JsonObject | undefined;
  /** Skills whose text the session is given from the start. */
  skills?: readonly string[] | undefined;
  /** Files that go along with the instruction, read with the rights of the session. */
  attachments?: readonly Attachment[] | undefined;
  /** Say after each turn what it changed in the folder. */
  report_changes?: boolean | undefined;
  /** Let an external agent change the folder itself in the first turn. */
  direct?: boolean | undefined;
  metadata?: JsonObject | undefined;
  cancellation?: CancellationToken | undefined;
  /** See `Watching`. */
  claim?: Watching['claim'];
  /** Called when the session is on disk and nothing of it has run. */
  onCreated?: (() => void) | undefined;
  /** Sees every event of the session and of everything below it. */
  onEvent?: Observe | undefined;
}

/** Does a plan keep its session to the agents of its roster? */
function hasClosedRoster({ spawn }: MountPlan): boolean {
  return isPlainObject(spawn) && spawn.agent_access !== undefined && spawn.agent_access !== 'all';
}

const nextUlid = ulidSource();

/** What entry points ask for is the same for most of their sessions: `npm run bench -- delegation` shows it. */
const LIMITS = new Memo<Limits>();

function rootLimits(asked: LimitOptions = {}): Limits {
  return LIMITS.get(JSON.stringify(asked), () => Limits.parse({ timeout: null, ...asked }));
}

/** The agent laid over the plan. The plan's `spawn` section is about children: a root keeps all its own tools. */
function asRoot({ spawn, ...plan }: MountPlan, declared: JsonObject): MountPlan {
  const merged = mergeConfigs(plan, declared);
  return merged.spawn === undefined && spawn !== undefined ? { ...merged, spawn } : merged;
}

/** The launch record of a root, by the same fields and with the same meaning as that of a child. */
export async function planRoot({ project, clock }: Runtime, request: RootRequest): Promise<PlannedLaunch> {
  const files = await project.contextFiles(request.cwd);
  const agent = request.agent === undefined ? null : await project.agents.find(request.agent);
  if (request.agent !== undefined && !agent) {
    throw new DelegationError(`Agent '${request.agent}' not found.`, {
      code: 'AGENT_NOT_FOUND',
      origin: request.agent,
    });
  }
  const overlay = agent?.overlay ?? {};
  const base = Plan.of(request.plan);
  const shared = sharedPlan(base, overlay, 'root', () =>
    onlyOwn(asRoot(base.json, declaredIn(overlay)), overlay),
  );
  const { agent: terms } = shared;
  const { provider_preferences } = request;
  const { plan, model } = await chooseModel(
    shared.plan,
    overlay,
    { provider_preferences },
    {
      models: () => request.models ?? modelCatalog(new Map()),
      roles: () => request.roles ?? null,
    },
  );
  if (request.output_schema) await checkSchema(request.output_schema);
  const session_id = request.session_id ?? rootSessionId(nextUlid());
  const safety_mode = tighterMode(request.safety_mode, terms.safety_mode);
  const workspace = {
    cwd: request.cwd,
    trusted: request.trusted,
    trust_declared: request.trust_declared || undefined,
    acting: request.acting || undefined,
    isolation: isolationIn(safety_mode),
    report_changes: request.report_changes || undefined,
    direct: request.direct || undefined,
  };
  const asked = request.grant ? { ...workspace, network: request.grant.network } : workspace;
  const allowed = grantForSafetyMode(safety_mode, asked);
  const whole = request.grant ? intersectGrants(allowed, request.grant) : allowed;
  const grant = limitNetwork(whole, terms.network);
  const instruction = request.output_schema
    ? `${request.instruction}\n\n${formPrompt(request.output_schema)}`
    : request.instruction;
  return {
    number: 1,
    overlay: shared.overlay,
    plan: plan.json,
    instruction,
    attached: await readAttachments(request.attachments ?? [], { cwd: request.cwd, grant }),
    launch: {
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
        instruction: terms.instruction ?? request.system_prompt ?? null,
      },
      engine: agent?.engine ?? 'in_process',
      plan: plan.storedWith(request.metadata ?? request.plan.session.metadata),
      model: redactSecrets(model),
      context: {
        ...{ depth: 'none', turns: null, scope: 'conversation', passed: [], dropped: [], tokens: 0 },
        files,
      },
      grant,
      // A person may take as long as they like; only what is delegated has a time limit by default.
      limits: tightenLimits(rootLimits(request.limits), terms.limits),
      safety_mode,
      workspace,
      instruction: request.instruction,
      tool_call_id: null,
      parallel_group_id: null,
      background: false,
      agent_access: (overlay.agents ?? 'all') === 'all' && !hasClosedRoster(request.plan) ? 'all' : 'roster',
      may_ask: false,
      self_depth: 0,
      output_schema: request.output_schema ?? null,
      skills: skillsOf(terms, request.skills),
      needs_servers: terms.needs_servers,
      created_at: isoTime(clock),
    },
  };
}
