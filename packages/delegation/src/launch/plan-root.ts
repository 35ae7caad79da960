import {
  type CancellationToken,
  cloneJson,
  isoTime,
  isPlainObject,
  type JsonObject,
  type MountPlan,
  newTraceId,
  redactSecrets,
  rootSessionId,
  ulidSource,
} from '@amplifier/core';
import {
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
import { DelegationError } from '../delegation-error.js';
import { checkSchema, formPrompt } from '../engine/structured-answer.js';
import type { ExpandedInstruction } from '../instruction-of.js';
import { Limits, type LimitWishes, tightenLimits } from '../limits/limits.js';
import { chooseModel } from '../model/choose-model.js';
import { type Attachment, readAttachments } from '../read-attachments.js';
import type { PlannedTurn } from '../turn.js';
import { declaredIn, onlyOwn, sharedPlan } from './child-plan.js';
import { MadeBefore } from './made-before.js';
import { type Planning, withMetadata } from './plan-child.js';
import { instructionOf, limitsOf, modeOf, networkOf, serversOf, skillsOf } from './read-overlay.js';
import { isolationIn } from './with-rights.js';

/** A session without a parent: an entry point's own plan and its own choice of what is allowed. */
export interface RootRequest {
  plan: MountPlan;
  instruction: string;
  /** See `ExpandedInstruction`. */
  forTurn?: ExpandedInstruction['forTurn'];
  /** The agent of the entry point's catalog to be; without one the plan speaks for itself. */
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
  /** The digest of what the folder's own files brought into the plan. */
  acting?: string;
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
  /** Skills whose text the session is given from the start. */
  skills?: readonly string[];
  /** Files that go along with the instruction, read with the rights of the session. */
  attachments?: readonly Attachment[];
  /** Say after each turn what it changed in the folder. */
  report_changes?: boolean;
  /** Let an external agent change the folder itself in the first turn. */
  direct?: boolean;
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

/** What entry points ask for is the same for most of their sessions: `npm run bench -- delegation` shows it. */
const LIMITS = new MadeBefore<Limits>();

function rootLimits(wished: LimitWishes = {}): Limits {
  return LIMITS.get([wished], () => Limits.parse({ timeout: null, ...wished }));
}

/** The agent laid over the plan. The plan's `spawn` section is about children: a root keeps all its own tools. */
function asRoot({ spawn, ...plan }: MountPlan, declared: JsonObject): MountPlan {
  const merged = cloneJson(mergeConfigs(plan, declared));
  return merged.spawn === undefined && spawn !== undefined ? { ...merged, spawn: cloneJson(spawn) } : merged;
}

/** The launch record of a root, by the same fields and with the same meaning as that of a child. */
export async function planRoot(planning: Planning, request: RootRequest): Promise<PlannedTurn> {
  const { agents, clock } = planning;
  const files = await planning.contextFiles(request.cwd);
  const agent = request.agent === undefined ? null : await agents.find(request.agent);
  if (request.agent !== undefined && !agent) {
    throw new DelegationError(`Agent '${request.agent}' not found.`, {
      code: 'AGENT_NOT_FOUND',
      origin: request.agent,
    });
  }
  const overlay = agent?.overlay ?? {};
  const shared = sharedPlan(overlay, [request.plan], () =>
    onlyOwn(asRoot(request.plan, declaredIn(overlay)), overlay),
  );
  const wish = {
    instruction: request.instruction,
    ...(request.provider_preferences ? { provider_preferences: request.provider_preferences } : {}),
  };
  const { plan, model } = await chooseModel(shared.plan, overlay, wish, {
    models: () => request.models ?? modelCatalog(new Map()),
    roles: () => request.roles ?? null,
  });
  await checkSchema(request.output_schema);
  const session_id = request.session_id ?? rootSessionId(nextUlid());
  const safety_mode = tighterMode(request.safety_mode, modeOf(overlay));
  const workspace = {
    cwd: request.cwd,
    trusted: request.trusted,
    ...(request.trust_declared ? { trust_declared: true } : {}),
    ...(request.acting ? { acting: request.acting } : {}),
    isolation: isolationIn(safety_mode),
    ...(request.report_changes ? { report_changes: true } : {}),
    ...(request.direct ? { direct: true } : {}),
  };
  const asked = request.grant ? { ...workspace, network: request.grant.network } : workspace;
  const allowed = grantForSafetyMode(safety_mode, asked);
  const whole = request.grant ? intersectGrants(allowed, request.grant) : allowed;
  const grant = limitNetwork(whole, networkOf(overlay));
  const stored = plan === shared.plan ? shared.stored : redactSecrets(plan);
  const instruction = request.output_schema
    ? `${request.instruction}\n\n${formPrompt(request.output_schema)}`
    : request.instruction;
  return {
    number: 1,
    overlay,
    plan,
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
        instruction: instructionOf(overlay) ?? request.system_prompt ?? null,
      },
      engine: agent?.engine ?? 'in_process',
      plan: request.metadata ? withMetadata(stored, redactSecrets(request.metadata)) : stored,
      model: redactSecrets(model),
      context: {
        ...{ depth: 'none', turns: null, scope: 'conversation', passed: [], dropped: [], tokens: 0 },
        ...(files ? { files } : {}),
      },
      grant,
      // A person may take as long as they like; only what is delegated has a time limit by default.
      limits: tightenLimits(rootLimits(request.limits), limitsOf(overlay)),
      safety_mode,
      workspace,
      instruction: request.instruction,
      tool_call_id: null,
      parallel_group_id: null,
      background: false,
      agent_access: isOpen(overlay.agents) && !hasClosedRoster(request.plan) ? 'all' : 'roster',
      may_ask: false,
      self_depth: 0,
      output_schema: request.output_schema ?? null,
      ...skillsOf(overlay, request.skills),
      ...serversOf(overlay),
      created_at: isoTime(clock),
    },
  };
}
