import { isAbsolute } from 'node:path';
import {
  DelegateRequest,
  findSession,
  type HostPaths,
  type LaunchRecord,
  NetworkAccess,
  openStore,
  outcomeIn,
  requiresTrust,
  SafetyMode,
  type StorePlace,
  summaryRequest,
  turnOf,
} from '@amplifier/host';
import { z } from 'zod';
import { DEFAULT_TIMEOUT_S, MAX_DEPTH } from '../defaults.js';
import type { JobRequest } from '../jobs/job-order.js';
import { McpToolError } from '../mcp-error.js';
import type { Role } from '../roles/built-in-roles.js';
import { type Roles, roleNamed } from '../roles/load-roles.js';
import { type AgentSettings, type DelegationSettings, Effort } from '../settings/delegation-settings.js';
import { checkTrust, type TrustRules } from './check-trust.js';
import { OWN_SESSION, resolveTarget, type TargetInput } from './resolve-target.js';

const TargetObject = z.strictObject({
  cli: z.string().min(1).describe('An agent id.'),
  model: z.string().min(1).nullish().describe('A model of that agent.'),
});

export const Attachments = z
  .array(z.string().min(1))
  .nullish()
  .describe('Paths of images and small text files to attach to the prompt.');

/** A member of every delegation, as MCP writes it. */
function member<Member extends z.ZodType>(shared: z.ZodOptional<Member>) {
  return shared
    .unwrap()
    .nullish()
    .describe(shared.description ?? '');
}

export const MaxResult = member(DelegateRequest.shape.max_result);
export const HandBackForm = member(DelegateRequest.shape.hand_back);

/** The inputs of `delegate`. Null means the same as leaving one out. */
export const DelegateInput = z.strictObject({
  cli: z
    .string()
    .trim()
    .min(1)
    .describe(
      'The agent: an id from capabilities, such as explorer or acp:claude_code; amplifier for the plain session of this project. agent:model also selects a model.',
    ),
  prompt: z
    .string()
    .trim()
    .min(1)
    .describe('The task. The agent knows nothing else: include everything it needs.'),
  mode: z
    .enum(['sync', 'async'])
    .nullish()
    .default('sync')
    .describe(
      'sync waits for the answer. async returns a job_id immediately; query it with wait_job, job_status, job_result.',
    ),
  role: z.string().min(1).nullish().describe('A persona from list_roles, added before the prompt.'),
  files: z.array(z.string().min(1)).nullish().describe('Paths to put in scope.'),
  attachments: Attachments,
  skills: member(DelegateRequest.shape.skills),
  max_result: MaxResult,
  hand_back: HandBackForm,
  model: z.string().min(1).nullish().describe('A model, or provider/model. Default: the agent’s own.'),
  effort: Effort.nullish().describe(
    'Reasoning effort, if the agent supports it. The result says what was applied.',
  ),
  persist: z
    .boolean()
    .nullish()
    .describe('Keep this run as a job on disk. Default: the setting default_persistence, which is off.'),
  fallback: z
    .array(z.union([z.string().min(1), TargetObject]))
    .nullish()
    .describe(
      'Other agents to try, in order, if the first fails before it starts working. Never used for write and yolo.',
    ),
  timeout_s: z.number().positive().nullish().describe('Time limit in seconds.'),
  session_id: z
    .string()
    .min(1)
    .nullish()
    .describe('Continue this conversation: the session_id of an earlier result.'),
  safety_mode: SafetyMode.nullish().describe(
    'read_only changes nothing; propose returns a diff and applies nothing; write changes files in working_dir; yolo may do anything. Default: that of the continued session, else the setting default_safety_mode, which is read_only.',
  ),
  network: NetworkAccess.nullish().describe(
    'What of the agent may reach the network: false, tools (all but commands) or true, at most what the settings allow. The connection to its model is not affected. Default: what the settings say, else commands only in a trusted folder.',
  ),
  working_dir: z.string().min(1).nullish().describe('The folder to work in. Default: that of this server.'),
  trust_workspace: z
    .boolean()
    .nullish()
    .default(false)
    .describe('Let write and yolo change this folder, for this call. Only after the user agreed.'),
  direct_workspace_mutation: z
    .boolean()
    .nullish()
    .default(false)
    .describe(
      'Let the agent change working_dir directly instead of a separate tree whose changes are applied at the end. Needs write or yolo, an absolute working_dir on the list of trusted folders, and the setting allow_direct_workspace_mutation.',
    ),
  external_tracking: z
    .boolean()
    .nullish()
    .default(false)
    .describe('The caller tracks this run: omit advice about keeping it.'),
  allow_model_fallback: z
    .boolean()
    .nullish()
    .default(true)
    .describe('May the same agent be tried on its configured fallback model? Default: yes.'),
});
export type DelegateInput = z.input<typeof DelegateInput>;

export interface PrepareContext extends TrustRules {
  settings: DelegationSettings;
  roles: Roles;
  /** Every agent of the folder. */
  known: readonly string[];
  /** The folder, by its real name. */
  working_dir: string;
  depth: number;
}

/** Decides everything about a delegation that can be decided before it runs, or refuses it. */
export async function prepareRequest(input: DelegateInput, context: PrepareContext): Promise<JobRequest> {
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
  if (input.direct_workspace_mutation) await checkDirect(input, safety_mode, context);
  if (typeof input.role === 'string') roleNamed(input.role, roles);
  const own = settingsOf(settings, target.cli);
  return {
    target: { ...target, model: target.model ?? own.default_model ?? null },
    prompt: input.prompt,
    role: input.role ?? null,
    files: input.files ?? [],
    attachments: input.attachments ?? [],
    skills: input.skills ?? [],
    max_result: input.max_result ?? null,
    hand_back: input.hand_back ?? null,
    effort: input.effort ?? own.effort ?? settings.default_effort ?? null,
    timeout_s: input.timeout_s ?? own.timeout_s ?? settings.default_timeout_s ?? DEFAULT_TIMEOUT_S,
    working_dir,
    safety_mode,
    trusted,
    network: input.network ?? null,
    fallback: (input.fallback ?? []).map((each: TargetInput) => resolveTarget(each, known)),
    allow_model_fallback: input.allow_model_fallback ?? true,
    resume: null,
    max_depth: MAX_DEPTH - depth,
    external_tracking: input.external_tracking ?? false,
    direct: input.direct_workspace_mutation === true,
  };
}

/** Whoever lets an agent into the folder itself has said so beforehand, for this very folder; what a caller says does not count. */
async function checkDirect(
  input: DelegateInput,
  safety_mode: SafetyMode,
  { settings, operator, working_dir, depth }: PrepareContext,
): Promise<void> {
  const refuse = (what: string) => {
    throw new McpToolError('INVALID_INPUT', `direct_workspace_mutation: ${what}`);
  };
  if (!settings.allow_direct_workspace_mutation)
    refuse(
      'The user has to allow it: delegation.allow_direct_workspace_mutation: true in their own settings.yaml.',
    );
  if (!requiresTrust(safety_mode)) refuse(`It needs safety_mode write or yolo, not ${safety_mode}.`);
  if (!input.working_dir || !isAbsolute(input.working_dir)) refuse('It needs an absolute working_dir.');
  if (depth > 0) refuse('An agent that was itself delegated to cannot ask for it.');
  if (input.session_id) refuse('It is for a new session only; later turns work in a tree of their own.');
  // The list alone counts here, and not what the call says.
  await checkTrust(safety_mode, working_dir, false, { settings, operator, honours_trust: false });
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

/** The session a caller wants to continue with, wherever it lies. */
export async function findResumable(session_id: string, paths: HostPaths): Promise<SessionToResume> {
  const found = await findSession(session_id, paths);
  await using store = await openStore(found.place.sessions);
  const launch = (await store.document(found.session_id, 'launch')) as unknown as LaunchRecord | null;
  if (!launch)
    throw new McpToolError(
      'INVALID_INPUT',
      `session_id: ${found.session_id} has no launch record, so it cannot go on.`,
    );
  const metadata = await store.metadata(found.session_id);
  const { extra } = metadata;
  const turn = turnOf(metadata);
  return {
    session_id: found.session_id,
    place: found.place,
    launch,
    working_dir: found.working_dir ?? launch.workspace.cwd,
    turn: turn + 1,
    ended: outcomeIn(metadata) !== null,
    keeps: (extra.acp_session as { keeps?: boolean } | undefined)?.keeps !== false,
  };
}

/** A session continues as what it was started as: the same agent in the same folder. */
export function asResumed(request: JobRequest, input: DelegateInput, resumed: SessionToResume): JobRequest {
  const { launch, session_id, working_dir } = resumed;
  const agent = launch.agent.name ?? OWN_SESSION;
  if (request.target.cli !== agent)
    throw new McpToolError(
      'INVALID_INPUT',
      `cli: The session ${session_id} belongs to '${agent}', not to '${request.target.cli}'.`,
    );
  if (request.skills.length > 0)
    throw new McpToolError(
      'INVALID_INPUT',
      `skills: The session ${session_id} has those it was started with. Leave skills out, or start a new session.`,
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

type Task = Pick<JobRequest, 'prompt' | 'files' | 'max_result' | 'hand_back'>;

/** The instruction: persona, task, files in scope and the size of the answer. */
export function composePrompt(task: Task, role: Role | null): string {
  const { prompt, files } = task;
  const persona = role ? `${role.prompt}\n\n---\n\n` : '';
  const scope = files.length > 0 ? `\n\nFiles in scope:\n${files.map((file) => `- ${file}`).join('\n')}` : '';
  const form = summaryRequest(task);
  return `${persona}${prompt}${scope}${form === '' ? '' : `\n\n${form}`}`;
}
