import type { LaunchRecord } from '../launch-record.js';
import type { TurnRunner } from '../turn-runner.js';
import { planRoot, type RootRequest } from './plan-root.js';

/** What an entry point says about a session it created itself. */
export type AdoptRequest = Omit<RootRequest, 'instruction' | 'session_id' | 'cancellation' | 'onEvent'>;

/**
 * Gives a session that was made without a launch record the one it is run from. It keeps its id, its place in its tree and its
 * conversation, and waits for its first instruction. A session that has a record of its own keeps it.
 */
export async function adoptSession(
  runner: TurnRunner,
  session_id: string,
  request: () => Promise<AdoptRequest>,
): Promise<LaunchRecord> {
  const { store } = runner;
  const known = (await store.document(session_id, 'launch')) as LaunchRecord | null;
  if (known?.session_id === session_id) return known;
  const wanted = await request();
  const { launch: record } = await planRoot(runner, { ...wanted, instruction: '', session_id });
  await using log = await runner.open(session_id);
  const { parent_id, root_id, trace_id, depth } = log.metadata;
  const isRooted = root_id !== session_id && (await store.has(root_id));
  const adopted = { ...record, parent_id, root_id: isRooted ? root_id : session_id, trace_id, depth };
  // A copy of another session may bring along what that one was in the middle of.
  await log.update({ extra: { turn: 0, turn_start: null, outcome: null, outcome_turn: null } });
  await log.putDocument('launch', { ...adopted });
  return adopted;
}
