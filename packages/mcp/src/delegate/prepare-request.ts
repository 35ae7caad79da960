import {
  findSession,
  type HostPaths,
  isTrusted,
  type LaunchRecord,
  openStore,
  SafetyMode,
  type StorePlace,
} from '@amplifier/host';
import { z } from 'zod';
import { DEFAULT_TIMEOUT_S, MAX_DEPTH } from '../defaults.js';
import type { RunRequest } from '../jobs/job-state.js';
import { McpToolError } from '../mcp-error.js';
import { type Roles, roleNamed } from '../roles/load-roles.js';
import { type AgentSettings, type DelegationSettings, Effort } from '../settings/delegation-settings.js';
import { OWN_SESSION, resolveTarget, type TargetInput } from './resolve-target.js';

const TargetObject = z.strictObject({
  cli: z.string().min(1).describe('An agent id.'),
  model: z.string().min(1).nullish().describe('A model of that agent.'),
});

/** The inputs of `delegate`. Null means the same as leaving one out. */
export const DelegateInput = z.strictObject({
  cli: z
    .string()
    .trim()
    .min(1)
    .describe(
      'Who does it: an agent id from capabilities, such as explorer or acp:claude_code; amplifier for the plain session of this project. agent:model names a model, too.',
    ),
  prompt: z
    .string()
    .trim()
    .min(1)
    .describe('What to do. The agent knows nothing but this: give it all it needs.'),
  mode: z
    .enum(['sync', 'async'])
    .nullish()
    .default('sync')
    .describe(
      'sync waits for the answer. async returns a job_id at once; ask with wait_job, job_status, job_result.',
    ),
  role: z.string().min(1).nullish().describe('A persona from list_roles, put before the prompt.'),
  files: z.array(z.string().min(1)).nullish().describe('Paths to put in scope.'),
  model: z
    .string()
    .min(1)
    .nullish()
    .describe('A model, or provider/model, of the agent. Default: the agent’s own.'),
  effort: Effort.nullish().describe(
    'How hard to think, where the agent can be told. The result says whether it could.',
  ),
  persist: z
    .boolean()
    .nullish()
    .describe('Keep this run as a job on disk. Default: the setting default_persistence, which is not to.'),
  fallback: z
    .array(z.union([z.string().min(1), TargetObject]))
    .nullish()
    .describe(
      'Who else to try, in order, when the first fails before it began. Never used for write and yolo.',
    ),
  timeout_s: z.number().positive().nullish().describe('Seconds it may take.'),
  session_id: z
    .string()
    .min(1)
    .nullish()
    .describe('Go on with this conversation: the session_id of an earlier result.'),
  safety_mode: SafetyMode.nullish().describe(
    'read_only changes nothing; propose returns a diff and applies nothing; write changes files below working_dir; yolo may do anything. Default: that of the session, when one is continued; else the setting default_safety_mode, which is read_only.',
  ),
  working_dir: z.string().min(1).nullish().describe('The folder to work in. Default: that of this server.'),
  trust_workspace: z
    .boolean()
    .nullish()
    .default(false)
    .describe('Say that write and yolo may change this folder, for this call. Only after the user agreed.'),
  external_tracking: z
    .boolean()
    .nullish()
    .default(false)
    .describe('Somebody else keeps track of this run: leave out advice about keeping it.'),
  allow_model_fallback: z
    .boolean()
    .nullish()
    .default(true)
    .describe('May the same agent be tried on its configured fallback model? Default: yes.'),
});
export type DelegateInput = z.input<typeof DelegateInput>;

export interface PrepareContext {
  settings: DelegationSettings;
  roles: Roles;
  /** Every agent of the folder. */
  known: readonly string[];
  /** The folder, by its real name. */
  working_dir: string;
  /** Is `trust_workspace` honoured through this door? */
  honours_trust: boolean;
  depth: number;
}

/** Decides everything about a delegation that can be decided before it runs, or refuses it. */
export async function prepareRequest(input: DelegateInput, context: PrepareContext): Promise<RunRequest> {
  const { settings, roles, working_dir, depth } = context;
  if (depth >= MAX_DEPTH)
    throw new McpToolError(
      'MAX_DEPTH_EXCEEDED',
      `This is agent number ${depth} in a row; ${MAX_DEPTH} are allowed.`,
    );
  const known = context.known.filter((name) => settingsOf(settings, name).enabled !== false);
  const target = resolveTarget({ cli: input.cli, model: input.model }, known);
  const safety_mode = input.safety_mode ?? settings.default_safety_mode;
  const trusted = await checkTrust(safety_mode, working_dir, input.trust_workspace === true, context);
  if (typeof input.role === 'string') roleNamed(input.role, roles);
  const own = settingsOf(settings, target.cli);
  return {
    target: { ...target, model: target.model ?? own.default_model ?? null },
    prompt: input.prompt,
    role: input.role ?? null,
    files: input.files ?? [],
    effort: input.effort ?? own.effort ?? settings.default_effort ?? null,
    timeout_s: input.timeout_s ?? own.timeout_s ?? settings.default_timeout_s ?? DEFAULT_TIMEOUT_S,
    working_dir,
    safety_mode,
    trusted,
    fallback: (input.fallback ?? []).map((each: TargetInput) => resolveTarget(each, known)),
    allow_model_fallback: input.allow_model_fallback ?? true,
    resume: null,
    max_depth: MAX_DEPTH - depth,
    external_tracking: input.external_tracking ?? false,
  };
}

/** The folder may be changed, or the mode does not change it. */
export async function checkTrust(
  safety_mode: SafetyMode,
  working_dir: string,
  asked: boolean,
  { settings, honours_trust }: Pick<PrepareContext, 'settings' | 'honours_trust'>,
): Promise<boolean> {
  const listed = await isTrusted(working_dir, settings.trusted_workspaces);
  const trusted = listed || (asked && honours_trust);
  if (trusted || safety_mode === 'read_only' || safety_mode === 'propose') return trusted;
  const way =
    asked && !honours_trust
      ? 'trust_workspace is not honoured here: the operator has to put the folder on the list trusted_workspaces.'
      : 'Ask the user, then pass trust_workspace: true, or have them run: amplifier trust.';
  throw new McpToolError(
    'WORKSPACE_NOT_TRUSTED',
    `${safety_mode} needs ${working_dir} to be trusted. ${way}`,
  );
}

/** What the settings say of an agent, by its id with or without `acp:`. */
export function settingsOf({ agents }: DelegationSettings, cli: string): AgentSettings {
  return agents[cli] ?? agents[cli.replace(/^acp:/, '')] ?? {};
}

export interface SessionToResume {
  session_id: string;
  place: StorePlace;
  launch: LaunchRecord;
  working_dir: string;
  /** The turn to come. */
  turn: number;
  /** Has the last turn an outcome? */
  ended: boolean;
  /** False for a session of an external agent that forgets its sessions. */
  keeps: boolean;
}

/** The session a caller wants to go on with, wherever it lies. */
export async function findResumable(session_id: string, paths: HostPaths): Promise<SessionToResume> {
  const found = await findSession(session_id, paths);
  await using store = await openStore(found.place.sessions);
  const launch = (await store.document(found.session_id, 'launch')) as unknown as LaunchRecord | null;
  if (!launch)
    throw new McpToolError(
      'INVALID_INPUT',
      `session_id: ${found.session_id} has no launch record, so it cannot go on.`,
    );
  const { extra } = await store.metadata(found.session_id);
  const turn = typeof extra.turn === 'number' ? extra.turn : 1;
  return {
    session_id: found.session_id,
    place: found.place,
    launch,
    working_dir: found.working_dir ?? launch.workspace.cwd,
    turn: turn + 1,
    ended: extra.outcome_turn === turn,
    keeps: (extra.acp_session as { keeps?: boolean } | undefined)?.keeps !== false,
  };
}

/** A session continues as what it was started as: the same agent in the same folder. */
export function asResumed(request: RunRequest, input: DelegateInput, resumed: SessionToResume): RunRequest {
  const { launch, session_id, working_dir } = resumed;
  const agent = launch.agent.name ?? OWN_SESSION;
  if (request.target.cli !== agent)
    throw new McpToolError(
      'INVALID_INPUT',
      `cli: The session ${session_id} belongs to '${agent}', not to '${request.target.cli}'.`,
    );
  if (!resumed.keeps)
    throw new McpToolError(
      'RESUME_FAILED',
      `session_id: ${agent} does not keep its sessions, so ${session_id} cannot be reloaded. continue_job tells it the conversation again; or start a new session.`,
    );
  if (input.model && launch.engine !== 'in_process')
    throw new McpToolError(
      'INVALID_INPUT',
      `model: The session ${session_id} of ${agent} stays with its model. Leave model out, or start a new session.`,
    );
  return { ...request, working_dir, fallback: [], resume: session_id };
}
