import { existsSync } from 'node:fs';
import type { CancellationToken, MountPlan } from '@amplifier/core';
import type { SessionLog, SessionMetadata } from '@amplifier/sessions';
import {
  type Grant,
  grantForSafetyMode,
  intersectGrants,
  intersectScopes,
  limitNetwork,
  type SafetyMode,
  tighterMode,
  withinReach,
} from '@amplifier/workspace';
import type { AgentCatalog } from './agents.js';
import { announceBeginning, resumedEvent } from './delegate-events.js';
import { DelegationError } from './delegation-error.js';
import { mailAsMessage } from './engine/session-mail.js';
import { StopSwitch } from './engine/stop-switch.js';
import { handBack } from './hand-back.js';
import { instructionMessage } from './instruction-message.js';
import { type ExpandedInstruction, instructionOf, type TurnPlan } from './instruction-of.js';
import { isolationIn, withRights } from './launch/with-rights.js';
import type { LaunchRecord } from './launch-record.js';
import { tightenLimits } from './limits/limits.js';
import type { Tree } from './limits/tree.js';
import type { Outcome } from './outcome.js';
import type { Parent } from './parent.js';
import type { DelegateRequest } from './request.js';
import { turnOf } from './stored-outcome.js';
import { newTurn, type Turn } from './turn.js';
import { closingOnError, type TurnRunner } from './turn-runner.js';
import { launchOfTurn, limitsOfTurn, type TurnStart, turnStartIn } from './turn-start.js';

export interface Resuming {
  launch: LaunchRecord;
  request: DelegateRequest;
  /** Who resumes it; null from outside of any session. */
  parent: Parent | null;
  cancellation: CancellationToken | undefined;
  observe: Turn['observe'];
  /** Was the model of the turn chosen by whoever resumes it? Then the instruction has no say in it. */
  isModelChosen?: boolean | undefined;
  /** Throws where the turn is not to begin any more. Asked when nobody else can write the session, and nothing is written. */
  check?: (() => Promise<unknown>) | undefined;
}

/** Gives a session another instruction and runs it to its outcome, from the record it was launched with. */
export async function resumeSession(runner: TurnRunner, resuming: Resuming): Promise<Outcome> {
  const { launch, parent } = resuming;
  return parent
    ? resumeIn(parent.tree, runner, resuming)
    : runner.inTree(launch, (tree) => resumeIn(tree, runner, resuming));
}

async function resumeIn(tree: Tree, runner: TurnRunner, resuming: Resuming): Promise<Outcome> {
  const { launch, request, parent, cancellation, observe } = resuming;
  runner.engineOf(launch);
  const warnings = await drift(launch, runner.agents);
  const begun = await beginTurn(runner, launch, request, parent, tree, resuming.check);
  const { log, number, instruction, attached } = begun;
  const wish = parent ? {} : { forTurn: begun.forTurn, isModelChosen: resuming.isModelChosen };
  const planned = await closingOnError(log, () => planForTurn(runner.planOf(launch, parent), wish));
  const turn = newTurn({
    launch: launchOfTurn(launch, log.metadata),
    plan: planned.plan,
    log,
    number,
    instruction,
    attached,
    warnings: [...warnings, ...planned.warnings],
    tree,
    limits: limitsOfTurn(launch, log.metadata),
    parent,
    guarantor: parent?.log ?? null,
    cancellation: new StopSwitch(cancellation),
    observe,
  });
  const outcome = await (parent ? runner.runFor(parent, turn) : runner.run(turn));
  await handBack(turn, outcome, request);
  return outcome;
}

/** The plan of a session as the instruction of one turn wants it, but for a model that somebody chose. */
export async function planForTurn(
  plan: MountPlan,
  { forTurn, isModelChosen }: Pick<ExpandedInstruction, 'forTurn'> & Pick<Resuming, 'isModelChosen'>,
): Promise<TurnPlan> {
  const wanted = (await forTurn?.(plan)) ?? { plan, warnings: [] };
  if (!isModelChosen || !plan.providers) return wanted;
  return { plan: { ...wanted.plan, providers: plan.providers }, warnings: [] };
}

/** Puts another turn of a session on disk: who asked for it, under which rights, and the instruction. Nothing has run yet. */
export async function beginTurn(
  runner: TurnRunner,
  launch: LaunchRecord,
  request: DelegateRequest,
  parent: Parent | null,
  tree: Tree,
  check?: Resuming['check'],
): Promise<Pick<Turn, 'log' | 'number' | 'instruction' | 'attached'> & Pick<ExpandedInstruction, 'forTurn'>> {
  const given = rightsOfTurn(launch, request, parent);
  const { workspace } = given;
  const rights = { ...given, grant: await runner.narrowed(given.grant, { ...launch, workspace }) };
  const reader = { cwd: launch.workspace.cwd, grant: rights.grant };
  const { text: instruction, attached, forTurn } = await instructionOf(runner, request, reader, parent);
  const log = await runner.open(launch.session_id);
  return closingOnError(log, async () => {
    if (!parent) refuseSecondBeginning(log.metadata, request);
    await check?.();
    const number = turnOf(log.metadata) + 1;
    await log.repairToolCalls('The session was resumed before this call had a result.');
    if (launch.engine === 'in_process') await takeLeftMail(log);
    const start: TurnStart = {
      prompt: instruction,
      ...(attached.length > 0 ? { attached: attached.length } : {}),
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
      log.appendMessages([instructionMessage(instruction, attached)]),
    ]);
    await announceBeginning(resumedEvent(launch, number, start.parent_id, request), parent);
    return { log, number, instruction, attached, forTurn };
  });
}

/**
 * What was said to the session while nobody listened is said before the new instruction: that is what it has to answer. News of
 * children and questions wait for the turn itself, which acts on them; an external agent gets all of its mail there.
 */
async function takeLeftMail(log: SessionLog): Promise<void> {
  for (const item of await log.pendingMail()) {
    if (item.kind === 'completion' || item.kind === 'question') return;
    const { role, content, metadata } = mailAsMessage(item);
    const message = { role, content, ...(metadata ? { metadata } : {}) };
    await log.deliver(item, item.kind === 'message' ? { message } : undefined);
  }
}

/** A turn has at most the rights of the session and, where a parent asks for it, of the parent. */
function rightsOfTurn(
  launch: LaunchRecord,
  { limits, timeout, network }: DelegateRequest,
  parent: Parent | null,
) {
  const safety_mode = parent ? tighterMode(parent.safety_mode, launch.safety_mode) : launch.safety_mode;
  const here = placeOf(launch.workspace, parent);
  const workspace = { ...here, isolation: isolationIn(safety_mode, here.isolation) };
  const given =
    workspace.cwd === launch.workspace.cwd
      ? launch.grant
      : keepDenied(withinReach(grantForSafetyMode(safety_mode, workspace), launch.grant), launch.grant);
  const grant = limitNetwork(given, launch.grant.network, network);
  const wanted = { ...limits, ...(timeout ? { timeout } : {}) };
  if (!parent) return { grant, safety_mode, workspace, limits: tightenLimits(launch.limits, wanted) };
  return {
    grant: intersectGrants(grant, parent.grant),
    safety_mode,
    workspace,
    limits: tightenLimits(tightenLimits(launch.limits, parent.limits), wanted),
  };
}

/** The grant of another folder, without the paths that the session was denied at launch: secrets, and what rules deny. */
function keepDenied(grant: Grant, { read, write }: Grant): Grant {
  return {
    ...grant,
    read: intersectScopes(grant.read, { ...read, allow: ['/'] }),
    write: intersectScopes(grant.write, { ...write, allow: ['/'] }),
  };
}

/** A session that worked in the tree of the one above works where that one is now; by itself in the user's folder when the tree is gone. */
function placeOf(workspace: LaunchRecord['workspace'], parent: Parent | null): LaunchRecord['workspace'] {
  const { folder, ...rest } = workspace;
  if (folder === undefined) return workspace;
  if (!parent) return existsSync(rest.cwd) ? workspace : { ...rest, cwd: folder };
  const { cwd, folder: above } = parent.workspace;
  return { ...rest, cwd, ...(above === undefined ? {} : { folder: above }) };
}

/** The launch in the mode that is wanted for a turn. Throws `SAFETY_MODE_WIDER` where that is more than the session was given. */
export function inMode(safety_mode: SafetyMode | undefined, launch: LaunchRecord): LaunchRecord {
  if (safety_mode === undefined) return launch;
  const { trusted, trust_declared = false } = launch.workspace;
  const { network } = launch.grant;
  const grant = grantForSafetyMode(safety_mode, { ...launch.workspace, network });
  return withRights(launch, { safety_mode, grant, trusted, trust_declared });
}

/** A session continues with the agent it was launched with; that the file has changed since is said, not acted on. */
async function drift({ agent: { name, digest } }: LaunchRecord, agents: AgentCatalog): Promise<string[]> {
  if (name === null || digest === null) return [];
  const now = await agents.find(name).catch(() => null);
  if (now?.digest === digest) return [];
  const what = now ? 'has changed' : 'is gone or cannot be read';
  return [
    `The file of agent '${name}' ${what} since this session was launched; it continues unchanged. Start a new delegation to use the current file.`,
  ];
}

/** Whoever asked for the turn may have been taken for dead, and have begun it before it lost the session. It is continued instead. */
function refuseSecondBeginning(metadata: SessionMetadata, { tool_call_id }: DelegateRequest): void {
  const start = turnStartIn(metadata);
  if (tool_call_id === undefined || start?.parent_id !== null || start.tool_call_id !== tool_call_id) return;
  throw new DelegationError(
    `Session '${metadata.session_id}' has begun the turn of ${tool_call_id} already. Continue it.`,
    { code: 'CALL_ID_REUSED', origin: metadata.session_id },
  );
}
