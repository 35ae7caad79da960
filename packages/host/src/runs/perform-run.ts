import { errorInfo } from '@amplifier/core';
import {
  type ClaimedRun,
  type Delegator,
  type LimitOptions,
  missingEvents,
  type Outcome,
  withinResult,
} from '@amplifier/delegation';
import {
  isTerminal,
  type NewEvent,
  type RunQueue,
  type RunRecord,
  type SessionMetadata,
  type SessionStore,
} from '@amplifier/sessions';
import type { SafetyMode } from '@amplifier/workspace';
import { TURN_PATIENCE_MS } from '../defaults.js';
import type { Host } from '../host.js';
import type { LogPool } from './log-pool.js';
import {
  orderOf,
  RUN_KIND,
  type RunEnding,
  type RunOrder,
  type StopOptions,
  startedEvent,
  withdrawn,
} from './run-record.js';
import { isMailUnread, UNREAD_MAIL } from './unread-mail.js';

/** The hosts in which sessions run. */
interface RunHosts {
  readonly offline: boolean;
  /** Those that are open. */
  readonly opened: readonly Host[];
  /** The one that runs a turn of the session at this moment. */
  running(session_id: string): Host | undefined;
  /** The one that a session runs in. `known`: its metadata, if the caller has read it. */
  of(session_id: string, known?: SessionMetadata): Promise<Host>;
}

/** What an entry point decides about the runs of its sessions. */
export interface RunPolicy {
  /** Throws where the caller may not submit another run now. */
  admit(tenant: string | undefined, caller: string): Promise<void>;
  /** The limits of a run, and no more than what its tenant may still spend. */
  limits(limits: LimitOptions, run: Pick<RunRecord, 'tenant' | 'caller'>): Promise<LimitOptions>;
  /** Makes sure that the session has a launch record. */
  prepare(session: SessionMetadata): Promise<void>;
  /** Throws where a turn of the session, or of a child in another mode, is not allowed in its folder. */
  requireTrust(session: SessionMetadata, mode?: SafetyMode): Promise<void>;
  /** Is the folder of the session on another machine? */
  isElsewhere(session: SessionMetadata): Promise<boolean>;
}

/** What runs are executed with. */
export interface RunParts {
  store: SessionStore;
  queue: RunQueue;
  logs: LogPool;
  hosts: RunHosts;
  policy: RunPolicy;
  /** Do other processes write the same record? */
  isShared: boolean;
  /** What happens to a run whose process died: it continues, or ends as interrupted until it is continued. */
  onRestart: 'continue' | 'interrupt';
}

/** A run with what it has to do, within the limits that apply now. */
interface ActiveRun extends ClaimedRun {
  order: RunOrder;
}

const DIED_TOO_OFTEN = {
  code: 'INTERRUPTED',
  message: 'The process died too often while it worked on this run. Continue it to try again.',
  retryable: true,
};

/**
 * Executes a run to its end. What an earlier process did of it counts: an outcome is taken, a turn that was cut off is ended as
 * interrupted or continued, and one that never began is begun.
 */
export async function performRun(parts: RunParts, claimed: ClaimedRun): Promise<RunEnding> {
  const { policy, hosts, logs, store, onRestart } = parts;
  const { run, isExhausted, isNew } = claimed;
  const asked = orderOf(run);
  const { session_id, kind } = asked;
  const order = { ...asked, limits: await policy.limits(asked.limits, run) };
  const active: ActiveRun = { ...claimed, order };
  const session = await store.metadata(session_id);
  await policy.prepare(session);
  const host = await hosts.of(session_id, session);
  // Trust may have been withdrawn while it waited.
  if (!isNew) await policy.requireTrust(session, order.delegate?.safety_mode);
  const begun = run.starts > 0 ? await progress(order, host) : null;
  if (begun?.outcome && begun.outcome.status !== 'interrupted')
    return endingWith(order, await proceed(active, parts, host));
  if (begun && run.cancel_requested !== null)
    return endingWith(order, await cancelLeft(begun.session_id, run.cancel_requested, parts, host));
  if (begun && (isExhausted || onRestart === 'interrupt'))
    return endingWith(order, await host.delegator.interrupt(begun.session_id));
  if (isExhausted) return { kind, status: 'interrupted', outcome: null, error: DIED_TOO_OFTEN };
  if (run.cancel_requested !== null) return withdrawn(order, run.cancel_requested);
  if (!order.delegate) await logs.free(session_id);
  const isUnread =
    !begun && order.mail_id !== null ? await isMailUnread(store, session_id, order.mail_id) : null;
  if (isUnread === false) return { kind, status: 'steered', outcome: null, error: null };
  const started = claimed.begin(startedEvent(run, claimed.token));
  started.catch(() => {});
  // A run that never got to its turn is begun when it is continued.
  const isCutOff = kind === 'continue' && order.continued_from === null;
  const continues =
    begun !== null || isCutOff || (kind === 'continue' && (await progress(order, host)) !== null);
  const instruction = isUnread ? UNREAD_MAIL : order.instruction;
  const outcome =
    continues || order.delegate
      ? await proceed(active, parts, host)
      : await begin(active, parts, host, instruction);
  await started;
  return endingWith(order, outcome);
}

/** A parent of the session may take it between two of our steps; then its turn is waited for as well. */
async function begin(
  { order, claim, check }: ActiveRun,
  { logs, hosts }: RunParts,
  { delegator, plan }: Host,
  instruction: string,
): Promise<Outcome> {
  const { session_id, limits, call_id, attachments, network } = order;
  const { cancellation } = claim;
  for (;;) {
    try {
      const providers = hosts.offline ? (plan.providers ?? []) : undefined;
      // The check is for a process that hung: another may have finished the run since.
      const turn = { cancellation, claim, limits, call_id, attachments, network, providers, check };
      return (await delegator.resume(session_id, instruction, turn)).outcome;
    } catch (error) {
      const { code } = errorInfo(error);
      // Another process had begun it before this one got the session.
      if (code === 'CALL_ID_REUSED')
        return (await delegator.continue(session_id, { cancellation, claim, check })).outcome;
      if (code !== 'SESSION_BUSY' || !logs.isHeld(session_id)) throw error;
      await logs.free(session_id);
    }
  }
}

/** Continues a turn, or makes the delegation. Both find out by themselves what an earlier process has done. */
async function proceed(
  { run, order, claim, check }: ActiveRun,
  { logs, store, isShared }: RunParts,
  host: Host,
): Promise<Outcome> {
  const { session_id, delegate, limits, call_id } = order;
  const { cancellation } = claim;
  if (!delegate) return (await host.delegator.continue(session_id, { cancellation, claim, check })).outcome;
  const { timeout = delegate.timeout } = limits;
  const request = {
    ...delegate,
    limits,
    tool_call_id: call_id,
    ...(timeout === undefined ? {} : { timeout }),
  };
  // A run that never began has no events in the log yet.
  const after = isShared && run.starts === 0 ? (await store.metadata(session_id)).event_count : 0;
  const log = {
    appendEvents: (events: readonly NewEvent[]) =>
      logs.share(
        session_id,
        async (shared) => {
          // A process that had the run before may have written some of them.
          const missing = isShared ? await missingEvents(events, session_id, store, after) : events;
          // The child was created, or has ended, while another process may have claimed the run: then that one continues it.
          await check();
          return shared.appendEvents(missing, { durability: 'process' });
        },
        TURN_PATIENCE_MS,
      ),
  };
  const delegation = await host.delegate(session_id, request, { cancellation, claim, log });
  if (delegation.kind === 'outcome') return withinResult(delegation.outcome, delegation.launch);
  throw new Error(`The child ${delegation.launch.session_id} unexpectedly runs in the background.`);
}

/** The turn, or the child, that a process began for this run, and how far that got. */
export async function progress(
  { session_id, call_id, delegate }: RunOrder,
  { delegator }: Host,
): Promise<{ session_id: string; turn: number; outcome: Outcome | null } | null> {
  if (delegate)
    return delegator.calledBy(session_id, { id: call_id, session_id: delegate.session_id ?? null });
  const begun = await delegator.startedBy(session_id, call_id);
  return begun && { session_id, ...begun };
}

async function cancelLeft(
  session_id: string,
  by: string,
  parts: RunParts,
  { delegator }: Host,
): Promise<Outcome> {
  await cancelWork(parts, delegator, session_id, { mode: 'immediate', cascade: true, by });
  const [outcome] = await delegator.control.wait([session_id]);
  if (outcome) return outcome;
  throw new Error(`Session ${session_id} was cancelled and has no outcome.`);
}

function endingWith({ kind }: RunOrder, outcome: Outcome): RunEnding {
  return { kind, status: outcome.status, outcome, error: null };
}

/**
 * Stops the turn of a session and what it launched, in whatever process it runs. Children of the same session to which other runs
 * delegated are left alone.
 */
export async function cancelWork(
  { store, queue }: Pick<RunParts, 'store' | 'queue'>,
  { control, live }: Delegator,
  session_id: string,
  { mode: level, cascade, by }: StopOptions,
  /** Only this turn of it, and nothing where another has begun since. */
  turn?: number,
): Promise<void> {
  const told = await control.cancel(session_id, {
    level,
    by,
    subtree: false,
    ...(turn === undefined ? {} : { turn }),
  });
  if (turn !== undefined && told.length === 0) return;
  for (const child of cascade ? await store.children(session_id) : []) {
    if (isTerminal(child.status) && !live.has(child.session_id)) continue;
    const run = child.tool_call_id === null ? null : await queue.get(child.tool_call_id);
    if (run?.kind !== RUN_KIND) await control.cancel(child.session_id, { level, by });
  }
}
