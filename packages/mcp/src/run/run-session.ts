import {
  type Host,
  type LaunchRecord,
  type Outcome,
  rootSessionId,
  type StorePlace,
  ulidSource,
} from '@amplifier/host';
import { composePrompt } from '../delegate/compose-prompt.js';
import { OWN_SESSION, type Target } from '../delegate/resolve-target.js';
import type { RunRequest } from '../jobs/job-state.js';
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
  const { prompt, files, effort, safety_mode, trusted, timeout_s, max_depth } = request;
  const session_id = rootSessionId(nextUlid());
  await announce(session_id, 1, host.project.paths);
  run.enter(host);
  return host.run({
    instruction: composePrompt(prompt, role, files),
    session_id,
    agent: target.cli === OWN_SESSION ? undefined : target.cli,
    ...modelWish(target.model, host),
    effort: effort ?? undefined,
    safety_mode,
    trusted,
    limits: { timeout: timeout_s, max_depth },
    ...watching(run),
  });
}

/** Gives a session another instruction. */
export async function resumeSession(
  host: Host,
  run: Run,
  session_id: string,
  instruction: string,
): Promise<Ended> {
  run.enter(host);
  return host.delegator.resume(session_id, instruction, watching(run));
}

/** Brings the turn a dead process left behind to its end, with a word for it where there is one. */
export async function continueSession(
  host: Host,
  run: Run,
  session_id: string,
  word: string | null,
): Promise<Ended> {
  run.enter(host);
  if (word !== null) await host.delegator.control.message(session_id, word);
  return host.delegator.continue(session_id, watching(run));
}

/** The instruction of a session that is given its next turn. */
export function nextInstruction({ prompt, files }: RunRequest, role: Role | null): string {
  return composePrompt(prompt, role, files);
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
