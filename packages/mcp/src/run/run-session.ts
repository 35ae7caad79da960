import {
  AmplifierError,
  type Host,
  hasCode,
  type LaunchRecord,
  type Outcome,
  projectNetwork,
  rootSessionId,
  type StorePlace,
  tighterNetwork,
  ulidSource,
} from '@amplifier/host';
import { composePrompt } from '../delegate/compose-prompt.js';
import { OWN_SESSION, type Target } from '../delegate/resolve-target.js';
import { JOB_MEMBER, jobRecord } from '../jobs/job-record.js';
import type { RunRequest } from '../jobs/job-state.js';
import { recordJob } from '../jobs/session-jobs.js';
import type { Role } from '../roles/built-in-roles.js';
import type { Run } from './run.js';

const nextUlid = ulidSource();

/** What came of a session, and the record it was launched from. */
export interface Ended {
  outcome: Outcome;
  launch: LaunchRecord;
}

/** Where a session is about to run: written to the job before it does. */
export type Announce = (
  session_id: string,
  turn: number,
  place: Pick<StorePlace, 'sessions' | 'queue'>,
) => Promise<void>;

/** Starts a session for the target and runs it to its end. */
export async function startSession(
  host: Host,
  run: Run,
  target: Target,
  role: Role | null,
  announce: Announce,
): Promise<Ended> {
  const { request } = run.state;
  const { effort, safety_mode, trusted, timeout_s, max_depth, direct, network } = request;
  const session_id = rootSessionId(nextUlid());
  const agent = target.cli === OWN_SESSION ? undefined : target.cli;
  await announce(session_id, 1, host.project.paths);
  run.enter(host);
  return host.run({
    instruction: composePrompt(request, role),
    attachments: request.attachments.map((path) => ({ path })),
    ...(request.skills.length > 0 ? { skills: request.skills } : {}),
    session_id,
    agent,
    ...((await host.isExternal(agent))
      ? { model: target.model ?? undefined }
      : modelWish(target.model, host)),
    effort: effort ?? undefined,
    safety_mode,
    trusted,
    trust_declared: trusted,
    ...(network === null ? {} : { network: tighterNetwork(projectNetwork(host.project, trusted), network) }),
    report_changes: safety_mode === 'write' || safety_mode === 'yolo',
    direct,
    limits: { timeout: timeout_s, max_depth },
    // Other models and other agents are tried by this entry point, so that the chain tells of all of them.
    model_fallback: false,
    metadata: { [JOB_MEMBER]: jobRecord(run.state) },
    onCreated: () => run.begin(),
    ...watching(run),
  });
}

/** What a session that is gone on with is to do, and on which model where the caller cares. */
export interface NextTurn {
  instruction: string;
  model: string | null;
  effort: string | null;
  /** Paths of what is shown with it. */
  attachments: readonly string[];
}

/** Gives a session another instruction. */
export async function resumeSession(
  host: Host,
  run: Run,
  session_id: string,
  { instruction, model, effort, attachments }: NextTurn,
): Promise<Ended> {
  const { timeout_s, safety_mode, trusted, network } = run.state.request;
  const wish = { ...modelWish(model, host), effort: effort ?? undefined };
  const changes = model !== null || effort !== null;
  const providers = changes ? await host.providersFor(false, wish) : null;
  const rights = await host.rightsFor(session_id, safety_mode, trusted, trusted);
  await keepRecord(host, session_id, run);
  run.begin();
  run.enter(host);
  return host.delegator.resume(session_id, instruction, {
    ...watching(run),
    attachments: attachments.map((path) => ({ path })),
    limits: { timeout: timeout_s },
    ...(network === null ? {} : { network }),
    ...(rights ? { rights } : {}),
    ...(providers ? { providers } : {}),
  });
}

/** The session says which job its next turn is, so that the job is found again without this process. */
async function keepRecord({ logs }: Host, session_id: string, { state }: Run): Promise<void> {
  await using log = await logs.open(session_id).catch((error) => {
    if (!hasCode(error, 'SESSION_LOCKED')) throw error;
    const message = `session_id: ${session_id} is running. Wait for it, or cancel it first.`;
    throw new AmplifierError(message, { code: 'SESSION_BUSY' });
  });
  await recordJob(log, state.session?.turn ?? 1, state);
}

/** Brings the turn a dead process left behind to its end, with a word for it where there is one. */
export async function continueSession(
  host: Host,
  run: Run,
  session_id: string,
  word: string | null,
): Promise<Ended> {
  run.enter(host);
  run.begin();
  if (word !== null) await host.delegator.control.message(session_id, word);
  return host.delegator.continue(session_id, watching(run));
}

/** The next turn of a session, as a request has it. Only what the caller says now changes its model or effort. */
export function nextTurn(
  request: RunRequest,
  role: Role | null,
  asked: { model?: string | null | undefined; effort?: string | null | undefined } = {},
): NextTurn {
  const instruction = composePrompt(request, role);
  return {
    instruction,
    attachments: request.attachments,
    model: asked.model ?? null,
    effort: asked.effort ?? null,
  };
}

function watching(run: Run) {
  return {
    cancellation: run.token,
    onEvent: (name: string, data: Readonly<Record<string, unknown>>) => run.onEvent(name, data),
  };
}

/** `provider/model` where the first part is a provider; else all of it is a model. */
function modelWish(model: string | null, { providers }: Host): { provider?: string; model?: string } {
  if (model === null) return {};
  const [, provider = '', rest = ''] = /^([^/]+)\/(.+)$/.exec(model) ?? [];
  return provider !== '' && providers.has(provider) ? { provider, model: rest } : { model };
}
