import type { CancellationToken } from '@amplifier/core';
import type { SessionLog } from '@amplifier/sessions';
import { intersectGrants } from '@amplifier/workspace';
import type { AgentCatalog } from './agents.js';
import { instructionMessage } from './continue-turn.js';
import { announceBeginning, resumedEvent } from './delegate-events.js';
import { letterMessage } from './engine/session-mail.js';
import { StopSwitch } from './engine/stop-switch.js';
import { handBack } from './hand-back.js';
import { tighterMode } from './launch/build-launch-record.js';
import type { LaunchRecord } from './launch-record.js';
import { tightenLimits } from './limits/limits.js';
import type { Tree } from './limits/tree.js';
import type { Outcome } from './outcome.js';
import type { Parent } from './parent.js';
import type { DelegateRequest } from './request.js';
import type { TurnToRun } from './run-turn.js';
import { turnOf } from './stored-outcome.js';
import { closingOnError, type TurnRunner } from './turn-runner.js';
import { launchOfTurn, limitsOfTurn, type TurnStart } from './turn-start.js';

export interface Resuming {
  launch: LaunchRecord;
  request: DelegateRequest;
  /** Who resumes it; null from outside of any session. */
  parent: Parent | null;
  cancellation: CancellationToken | undefined;
  onEvent: TurnToRun['onEvent'];
}

/** Gives a session another instruction and runs it to its outcome, from the record it was launched with. */
export async function resumeSession(runner: TurnRunner, resuming: Resuming): Promise<Outcome> {
  const { launch, parent } = resuming;
  return parent
    ? resumeIn(parent.tree, runner, resuming)
    : runner.inTree(launch, (tree) => resumeIn(tree, runner, resuming));
}

async function resumeIn(tree: Tree, runner: TurnRunner, resuming: Resuming): Promise<Outcome> {
  const { launch, request, parent, cancellation, onEvent } = resuming;
  const engine = runner.engineOf(launch);
  const warnings = await drift(launch, runner.agents);
  const { log, number, prompt } = await beginTurn(runner, launch, request, parent, tree);
  const outcome = await runner.run(engine, {
    launch: launchOfTurn(launch, log.metadata),
    plan: runner.planOf(launch, parent),
    log,
    number,
    prompt,
    warnings,
    tree,
    limits: limitsOfTurn(launch, log.metadata),
    parent,
    reliesOn: parent?.log ?? null,
    stop: new StopSwitch(cancellation),
    onEvent,
  });
  await handBack(launch, number, outcome, parent, request);
  return outcome;
}

/** Puts another turn of a session on disk: who asked for it, under which rights, and the instruction. Nothing has run yet. */
export async function beginTurn(
  runner: TurnRunner,
  launch: LaunchRecord,
  request: DelegateRequest,
  parent: Parent | null,
  tree: Tree,
): Promise<{ log: SessionLog; number: number; prompt: string }> {
  const rights = rightsOfTurn(launch, request, parent);
  const prompt = parent?.is_model
    ? request.instruction
    : await runner.expand(request.instruction, { cwd: launch.workspace.cwd, grant: rights.grant });
  const log = await runner.open(launch.session_id);
  return closingOnError(log, async () => {
    const number = turnOf(log.metadata) + 1;
    await log.repairToolCalls('The session was resumed before this call had a result.');
    if (launch.engine === 'in_process') await takeLeftMail(log);
    const start: TurnStart = {
      prompt,
      after: log.metadata.message_count,
      usage: log.metadata.usage,
      children: tree.children,
      parent_id: parent?.session_id ?? null,
      tool_call_id: request.tool_call_id ?? null,
      parallel_group_id: request.parallel_group_id ?? null,
      background: request.background ?? false,
      ...rights,
    };
    // A log keeps the order of its calls, so the two can share one flush.
    await Promise.all([
      log.update({ extra: { turn: number, turn_start: start } }),
      log.appendMessages([instructionMessage(prompt)]),
    ]);
    await announceBeginning(resumedEvent(launch, number, start.parent_id, request), parent);
    return { log, number, prompt };
  });
}

/**
 * What was said to the session while nobody listened is said before the new instruction: that is what it has to answer. News of
 * children and questions wait for the turn itself, which acts on them; an external agent gets all of its mail there.
 */
async function takeLeftMail(log: SessionLog): Promise<void> {
  for (const letter of await log.pendingMail()) {
    if (letter.kind === 'completion' || letter.kind === 'question') return;
    const { role, content, metadata } = letterMessage(letter);
    const message = { role, content, ...(metadata ? { metadata } : {}) };
    await log.deliver(letter, letter.kind === 'message' ? { message } : undefined);
  }
}

/** Whoever resumes a session cannot give it more than they have themselves. */
function rightsOfTurn(launch: LaunchRecord, { limits, timeout }: DelegateRequest, parent: Parent | null) {
  const { grant, safety_mode, workspace } = launch;
  const wanted = { ...limits, ...(timeout ? { timeout } : {}) };
  if (!parent) return { grant, safety_mode, workspace, limits: tightenLimits(launch.limits, wanted) };
  return {
    grant: intersectGrants(grant, parent.grant),
    safety_mode: tighterMode(parent.safety_mode, safety_mode),
    limits: tightenLimits(tightenLimits(launch.limits, parent.limits), wanted),
  };
}

/** A session goes on with the agent it was launched with; that the file has changed since is said, not acted on. */
async function drift({ agent: { name, digest } }: LaunchRecord, agents: AgentCatalog): Promise<string[]> {
  if (name === null || digest === null) return [];
  const now = await agents.find(name).catch(() => null);
  if (now?.digest === digest) return [];
  const what = now ? 'has changed' : 'is gone or cannot be read';
  return [
    `The file of agent '${name}' ${what} since this session was launched; it goes on as it was. Delegate anew to use the file as it is.`,
  ];
}
