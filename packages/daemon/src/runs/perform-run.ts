import { errorInfo } from '@amplifier/core';
import { type HeldClaim, type Outcome, withinResult } from '@amplifier/delegation';
import type { Host } from '@amplifier/host';
import type { NewEvent, RunQueue, RunRecord, SessionStore } from '@amplifier/sessions';
import type { DaemonConfig } from '../config.js';
import { MAX_RUN_ATTEMPTS, TURN_PATIENCE_MS } from '../defaults.js';
import type { LogPool } from '../sessions/log-pool.js';
import type { Budgets } from '../tenants/budgets.js';
import { cancelWork } from './cancel-work.js';
import type { RunJournal } from './run-journal.js';
import { DIED_TOO_OFTEN, type RunEnding, type RunOrder, withdrawn } from './run-record.js';
import type { SessionRuntime } from './session-runtime.js';

export interface RunParts {
  store: SessionStore;
  queue: RunQueue;
  logs: LogPool;
  journal: RunJournal;
  runtime: SessionRuntime;
  config: DaemonConfig['runs'];
  budgets: Budgets;
}

/** A run at work in this process. */
export interface ActiveRun {
  run: RunRecord;
  order: RunOrder;
  /** The claim that this process holds. Its token also stops the run. */
  claim: HeldClaim;
  /** Throws where another process has it now. */
  stillOurs: () => Promise<unknown>;
  /** That of the claim. */
  token: number;
  /** How often earlier processes had begun it. */
  starts: number;
}

/** Said to a session whose run ended just before it could read what it was sent. */
const UNREAD = 'A message arrived while your last turn was ending. It follows; act on it.';

/**
 * Brings one run to its end. What an earlier process did of it counts: an outcome is taken, a turn that was cut off is ended as
 * interrupted or goes on, and one that never began is begun.
 */
export async function performRun(parts: RunParts, active: ActiveRun): Promise<RunEnding> {
  const { runtime, journal, logs, config } = parts;
  const { run } = active;
  const limits = await parts.budgets.within(active.order.limits, run.tenant, run.caller);
  const order = { ...active.order, limits };
  active.order = order;
  await runtime.prepare(order.session_id);
  const host = await runtime.hosts.of(order.session_id);
  await runtime.requireTrust(order.session_id, order.delegate?.safety_mode);
  const begun = active.starts > 0 ? await progress(order, host) : null;
  if (begun?.outcome && begun.outcome.status !== 'interrupted')
    return endingOf(order, await goOn(active, parts, host));
  if (begun && run.cancel_requested !== null)
    return endingOf(order, await cancelLeft(begun.session_id, run.cancel_requested, parts, host));
  const isTooOften = run.attempts > MAX_RUN_ATTEMPTS;
  if (begun && (isTooOften || config.on_restart === 'interrupt'))
    return endingOf(order, await host.delegator.interrupt(begun.session_id));
  if (isTooOften) return { kind: order.kind, status: 'interrupted', outcome: null, error: DIED_TOO_OFTEN };
  if (run.cancel_requested !== null) return withdrawn(order, run.cancel_requested);
  if (!order.delegate) await logs.free(order.session_id);
  const isUnread = !begun && order.mail_id !== null ? await isMailUnread(order, parts.store) : null;
  if (isUnread === false) return { kind: order.kind, status: 'steered', outcome: null, error: null };
  // Nobody waits for this: what the turn writes comes after it in the same log.
  const started = journal.started(run.run_id, order, active);
  started.catch(() => {});
  // A run that never got to its turn is begun when it is continued.
  const isCutOff = order.kind === 'continue' && order.continued_from === null;
  const goesOn =
    begun !== null || isCutOff || (order.kind === 'continue' && (await progress(order, host)) !== null);
  const instruction = isUnread ? UNREAD : order.instruction;
  const outcome =
    goesOn || order.delegate
      ? await goOn(active, parts, host)
      : await begin(active, parts, host, instruction);
  await started;
  return endingOf(order, outcome);
}

/** A parent of the session may take it between two of our steps; then its turn is waited for as well. */
async function begin(
  { order, claim, stillOurs }: ActiveRun,
  { logs, runtime }: RunParts,
  { delegator, plan }: Host,
  instruction: string,
): Promise<Outcome> {
  const { session_id, limits, call_id, attachments, network } = order;
  const { cancellation } = claim;
  for (;;) {
    try {
      const providers = runtime.hosts.offline ? (plan.providers ?? []) : undefined;
      // The check is for a process that hung: another may have finished the run since.
      const turn = {
        ...{ cancellation, claim, limits, call_id, attachments, network, providers },
        check: stillOurs,
      };
      return (await delegator.resume(session_id, instruction, turn)).outcome;
    } catch (error) {
      const { code } = errorInfo(error);
      // Another process had begun it before this one got the session.
      if (code === 'CALL_ID_REUSED')
        return (await delegator.continue(session_id, { cancellation, claim, check: stillOurs })).outcome;
      if (code !== 'SESSION_BUSY' || !logs.isHeld(session_id)) throw error;
      await logs.free(session_id);
    }
  }
}

/** Both find out by themselves what there is to continue with. */
async function goOn(
  { run, order, claim, stillOurs }: ActiveRun,
  { journal }: RunParts,
  host: Host,
): Promise<Outcome> {
  const { session_id, delegate, limits, call_id } = order;
  const { cancellation } = claim;
  if (!delegate)
    return (await host.delegator.continue(session_id, { cancellation, claim, check: stillOurs })).outcome;
  const { timeout = delegate.timeout } = limits;
  const request = {
    ...delegate,
    limits,
    tool_call_id: call_id,
    ...(timeout === undefined ? {} : { timeout }),
  };
  const patienceMs = TURN_PATIENCE_MS;
  const log = {
    appendEvents: async (events: readonly NewEvent[]) => {
      // The child was created, or has ended, while another process may have claimed the run: then it is that one's to continue.
      await stillOurs();
      return journal.once(session_id, run.run_id, events, { patienceMs });
    },
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

/** Null when it was never sent. */
async function isMailUnread({ session_id, mail_id }: RunOrder, store: SessionStore): Promise<boolean | null> {
  const item = (await store.mail(session_id)).find(({ id }) => id === mail_id);
  if (!item) return null;
  return item.cursor > (await store.metadata(session_id)).mailbox_cursor;
}

function endingOf({ kind }: RunOrder, outcome: Outcome): RunEnding {
  return { kind, status: outcome.status, outcome, error: null };
}
