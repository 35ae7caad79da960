import { existsSync } from 'node:fs';
import type { MountPlan } from '@amplifier/core';
import type { SessionLog, SessionMetadata } from '@amplifier/sessions';
import {
  FULL_GRANT,
  type Grant,
  grantForSafetyMode,
  intersectGrants,
  intersectScopes,
  limitNetwork,
  type NetworkAccess,
  type PathScope,
  pathScope,
  realGrant,
  type SafetyMode,
  tighterMode,
  withinReach,
} from '@amplifier/workspace';
import { enqueueTurn, requireQueue } from '../background/background-queue.js';
import { engineOf } from '../engine/engine-of.js';
import { mailAsMessage } from '../engine/session-mail.js';
import { type LimitOptions, tightenLimits } from '../metering/limits.js';
import { lendSlot } from '../metering/run-slots.js';
import { treeOf } from '../metering/tree-of.js';
import type { AgentCatalog } from '../plan/agents.js';
import type { LaunchRecord } from '../plan/launch-record.js';
import { planWithSecrets } from '../plan/restore-secrets.js';
import {
  isolationIn,
  refuseWithoutTree,
  type TurnRights,
  withFailover,
  withRights,
} from '../plan/with-rights.js';
import type { Project } from '../project.js';
import { settleLeftTurn } from '../recovery/continue-turn.js';
import { requireDescendant } from '../recovery/control.js';
import { loadLaunch, turnOf } from '../recovery/stored-outcome.js';
import type { DelegateConfig } from '../request/delegate-config.js';
import { announceBeginning, resumedEvent } from '../request/delegate-events.js';
import { DelegationError } from '../request/delegation-error.js';
import { instructionMessage, instructionOf, planForTurn } from '../request/instruction.js';
import type { Delegation, Ended, Outcome } from '../request/outcome.js';
import type { Attachment } from '../request/read-attachments.js';
import { type DelegateRequest, readDelegateRequest } from '../request/request.js';
import type { Runtime } from '../runtime.js';
import { handBack } from './hand-back.js';
import { requireRightToDelegate } from './launch-child.js';
import { openLog } from './open-log.js';
import { type Caller, callerOf, openTurn, outsideCaller } from './open-turn.js';
import type { Parent } from './parent.js';
import { runTurn } from './run-turn.js';
import type { Watching } from './turn.js';
import { launchOfTurn, limitsOfTurn, type TurnStart, turnStartIn } from './turn-start.js';

export interface ResumeOptions extends Watching {
  /** Tighter limits for this turn and all that it delegates. None of them widens what the session was launched with. */
  limits?: LimitOptions | undefined;
  /** What of this turn may reach the network, at most what the session was launched with. */
  network?: NetworkAccess | undefined;
  /** The caller's own name for the turn, by which it finds the turn after a crash (`startedBy`). */
  call_id?: string | undefined;
  /** Run this turn with these rights. Default: those the session was launched with. */
  rights?: TurnRights | undefined;
  /** Run this turn on these instead of what the record says. */
  providers?: MountPlan['providers'] | undefined;
  /** May the loop continue with another provider when one fails? Default: as the record says. */
  failover?: boolean | undefined;
  /** Files that go along with the instruction. */
  attachments?: readonly Attachment[] | undefined;
  /** Called when the session is open and nothing is written. Must throw if the turn is not to begin any more. */
  check?: (() => Promise<unknown>) | undefined;
}

/** Gives a session another instruction, from outside of any session, and runs it to its outcome. */
export async function resumeSession(
  runtime: Runtime,
  session_id: string,
  instruction: string,
  options: ResumeOptions,
): Promise<Ended> {
  const { providers, limits, network, attachments, call_id, rights, failover } = options;
  const request = readDelegateRequest({
    instruction,
    session_id,
    limits,
    network,
    attachments,
    tool_call_id: call_id,
  });
  const stored = await loadLaunch(runtime.store, session_id);
  const plan = withFailover(stored.plan, failover);
  const launch = withRights({ ...stored, plan: providers ? { ...plan, providers } : plan }, rights);
  await settleLeftTurn(runtime, stored, options);
  const leaveTree = runtime.live.hold(stored.root_id);
  try {
    const caller = outsideCaller(await treeOf(runtime, stored), options);
    const turn = { isModelChosen: providers !== undefined, check: options.check };
    return { outcome: await runAnotherTurn(runtime, launch, request, caller, turn), launch };
  } finally {
    leaveTree();
  }
}

/** Gives a session below `parent` another instruction. Its turn runs to its outcome, or is put into the queue. */
export async function resumeChild(
  runtime: Runtime,
  request: DelegateRequest & { session_id: string },
  parent: Parent,
  { features }: DelegateConfig,
): Promise<Delegation> {
  const { session_id } = request;
  if (!features.session_resume.enabled) {
    const message = 'Resuming sessions is disabled. Delegate to an agent instead.';
    throw new DelegationError(message, { code: 'RESUME_DISABLED' });
  }
  await requireDescendant(runtime.store, session_id, parent.session_id);
  const stored = await loadLaunch(runtime.store, session_id);
  const launch = inMode(request.safety_mode, stored);
  refuseWithoutTree(request, launch.safety_mode);
  requireRightToDelegate(launch.agent.name ?? session_id, parent);
  const caller = callerOf(parent);
  const { cancellation, claim, observe } = caller;
  await settleLeftTurn(runtime, stored, { cancellation, claim, onEvent: observe ?? undefined });
  if (request.background && features.background.enabled) {
    requireQueue(runtime);
    const number = await beginInBackground(runtime, launch, request, caller);
    runtime.live.addBackground(parent.session_id, session_id);
    await enqueueTurn(runtime, launch, number);
    return { kind: 'background', launch };
  }
  return { kind: 'outcome', outcome: await runAnotherTurn(runtime, launch, request, caller), launch };
}

interface OutsideOptions {
  /** The caller chose the model of the turn: the instruction does not change it. */
  isModelChosen?: boolean;
  check?: ResumeOptions['check'];
}

async function runAnotherTurn(
  runtime: Runtime,
  launch: LaunchRecord,
  request: DelegateRequest,
  caller: Caller,
  { isModelChosen = false, check }: OutsideOptions = {},
): Promise<Outcome> {
  const { project } = runtime;
  const { parent } = caller;
  engineOf(runtime, launch);
  const changes = await drift(launch, project.agents);
  const { rights, ...told } = await prepareTurn(project, launch, request, parent);
  // What a person's instruction changes of the plan counts only where a person resumes.
  const forTurn = parent ? undefined : told.forTurn;
  const change = await planForTurn(planWithSecrets(project, launch, parent), { forTurn, isModelChosen });
  await using log = await openLog(runtime, launch.session_id, caller);
  await check?.();
  const number = await beginTurn(log, launch, request, { ...told, rights }, caller);
  const planned = {
    launch: launchOfTurn(launch, log.metadata),
    number,
    instruction: told.text,
    attached: told.attached,
    plan: change.plan,
    warnings: [...changes, ...change.warnings],
    limits: limitsOfTurn(launch, log.metadata),
  };
  const turn = openTurn(runtime, planned, log, caller);
  const outcome = await lendSlot(parent?.slot, () => runTurn(runtime, turn));
  await handBack(turn, outcome, request);
  return outcome;
}

/** Puts another turn on disk that a worker will run. Returns its number. */
async function beginInBackground(
  runtime: Runtime,
  launch: LaunchRecord,
  request: DelegateRequest,
  caller: Caller,
): Promise<number> {
  const prepared = await prepareTurn(runtime.project, launch, request, caller.parent);
  await using log = await openLog(runtime, launch.session_id, caller);
  const number = await beginTurn(log, launch, request, prepared, caller);
  caller.claim?.delete(log);
  return number;
}

type PreparedTurn = Awaited<ReturnType<typeof prepareTurn>>;

/** The rights of another turn, and its instruction, read with these rights. Changes nothing. */
async function prepareTurn(
  project: Project,
  launch: LaunchRecord,
  request: DelegateRequest,
  parent: Parent | null,
) {
  const given = rightsOfTurn(launch, request, parent);
  const { workspace } = given;
  const rights = { ...given, grant: await narrowed(project, given.grant, { ...launch, workspace }) };
  const reader = { cwd: launch.workspace.cwd, grant: rights.grant };
  return { rights, ...(await instructionOf(project, request, reader, parent)) };
}

/**
 * Stores another turn of a session: who asked for it, under which rights, and the instruction. Nothing has run yet. It is on disk before
 * anything acts or, in the background, before the caller continues.
 */
async function beginTurn(
  log: SessionLog,
  launch: LaunchRecord,
  request: DelegateRequest,
  { rights, text, attached }: PreparedTurn,
  { parent, tree }: Caller,
): Promise<number> {
  if (!parent) refuseSecondBeginning(log.metadata, request);
  const number = turnOf(log.metadata) + 1;
  await log.repairToolCalls('The session was resumed before this call had a result.');
  if (launch.engine === 'in_process') await takeLeftMail(log);
  const start: TurnStart = {
    prompt: text,
    attached: attached.length || undefined,
    after: log.metadata.message_count,
    usage: log.metadata.usage,
    children: tree.children,
    parent_id: parent?.session_id ?? null,
    tool_call_id: request.tool_call_id ?? null,
    parallel_group_id: request.parallel_group_id ?? null,
    background: request.background,
    ...rights,
  };
  const stored = { durability: request.background ? ('disk' as const) : ('process' as const) };
  // A log keeps the order of its calls, so the two can share one flush.
  await Promise.all([
    log.update({ extra: { turn: number, turn_start: start } }, stored),
    log.appendMessages([instructionMessage(text, attached)], stored),
  ]);
  await announceBeginning(resumedEvent(launch, number, start.parent_id, request), parent);
  return number;
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

/** The grant without what rules deny to read now: they may be newer than the launch. */
async function narrowed(
  project: Project,
  grant: Grant,
  launch: Pick<LaunchRecord, 'workspace' | 'plan'>,
): Promise<Grant> {
  const { paths, globs } = await project.unreadable(launch);
  if (paths.length + globs.length === 0) return grant;
  const others = await realGrant({
    ...FULL_GRANT,
    read: pathScope(['/'], paths, { deny_globs: [...globs] }),
  });
  return intersectGrants(grant, others);
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
  const wanted = { ...limits, timeout: timeout ?? limits?.timeout };
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
  // The isolated tree of the new folder is its own; the one it was launched in no longer is.
  const denied = ({ deny_except }: PathScope, launched: PathScope) => ({
    ...launched,
    allow: ['/'],
    deny_except,
  });
  return {
    ...grant,
    read: intersectScopes(grant.read, denied(grant.read, read)),
    write: intersectScopes(grant.write, denied(grant.write, write)),
  };
}

/** A session that worked in the tree of the one above works where that one is now; by itself in the user's folder when the tree is gone. */
function placeOf(workspace: LaunchRecord['workspace'], parent: Parent | null): LaunchRecord['workspace'] {
  const { folder, ...rest } = workspace;
  if (folder === undefined) return workspace;
  if (!parent) return existsSync(rest.cwd) ? workspace : { ...rest, cwd: folder };
  const { cwd, folder: above } = parent.workspace;
  return { ...rest, cwd, folder: above };
}

/** The launch in the mode that is wanted for a turn. Throws `SAFETY_MODE_WIDER` where that is more than the session was given. */
function inMode(safety_mode: SafetyMode | undefined, launch: LaunchRecord): LaunchRecord {
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

/** A caller that was taken for dead may have begun the turn before it lost the session. Then the turn is continued instead. */
function refuseSecondBeginning(metadata: SessionMetadata, { tool_call_id }: DelegateRequest): void {
  const start = turnStartIn(metadata);
  if (tool_call_id === undefined || start?.parent_id !== null || start.tool_call_id !== tool_call_id) return;
  throw new DelegationError(
    `Session '${metadata.session_id}' has begun the turn of ${tool_call_id} already. Continue it.`,
    { code: 'CALL_ID_REUSED', origin: metadata.session_id },
  );
}
