import type { Clock } from '@amplifier/core';
import type { AgentCatalog } from '../agents.js';
import type { LaunchRecord } from '../launch-record.js';
import type { TurnRunner } from '../turn-runner.js';
import { buildRootRecord, type RootRequest } from './build-root-record.js';

/** What a door says about a session it made itself. */
export type AdoptRequest = Omit<RootRequest, 'instruction' | 'session_id' | 'cancellation' | 'onEvent'>;

/**
 * Gives a session that was made without a launch record the one it is run from. It keeps its id, its place in its tree and its
 * conversation, and waits for its first instruction. A session that has a record of its own keeps it.
 */
export async function adoptSession(
  runner: Pick<TurnRunner, 'store' | 'open' | 'contextFiles'>,
  catalog: AgentCatalog,
  clock: Clock,
  session_id: string,
  request: () => Promise<AdoptRequest>,
): Promise<LaunchRecord> {
  const { store } = runner;
  const known = (await store.document(session_id, 'launch')) as LaunchRecord | null;
  if (known?.session_id === session_id) return known;
  const wanted = await request();
  const { record } = await buildRootRecord(
    { ...wanted, instruction: '', session_id },
    catalog,
    clock,
    await runner.contextFiles(wanted.cwd),
  );
  await using log = await runner.open(session_id);
  const { parent_id, root_id, trace_id, depth } = log.metadata;
  const isRooted = root_id !== session_id && (await store.has(root_id));
  const adopted = { ...record, parent_id, root_id: isRooted ? root_id : session_id, trace_id, depth };
  // A copy of another session may bring along what that one was in the middle of.
  await log.update({ extra: { turn: 0, turn_start: null, outcome: null, outcome_turn: null } });
  await log.putDocument('launch', { ...adopted });
  return adopted;
}
