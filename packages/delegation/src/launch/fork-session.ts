import type { Clock } from '@amplifier/core';
import type { SessionStore } from '@amplifier/sessions';
import type { LaunchRecord } from '../launch-record.js';
import { loadLaunch } from '../stored-outcome.js';
import { forkRecord } from './fork-record.js';

/** A session of its own that begins with the conversation of another, up to the end of a turn. The source is not changed. */
export async function forkSession(
  store: SessionStore,
  clock: Clock,
  session_id: string,
  turn: number | undefined,
): Promise<LaunchRecord> {
  const record = forkRecord(await loadLaunch(store, session_id), clock);
  const { parent_id, root_id, trace_id, depth, agent, workspace } = record;
  const log = await store.fork(session_id, {
    ...(turn === undefined ? {} : { turn }),
    session: {
      session_id: record.session_id,
      parent_id,
      root_id,
      trace_id,
      depth,
      agent_name: agent.name,
      working_dir: workspace.cwd,
      extra: { turn: 0 },
    },
    contents: { documents: { launch: { ...record } } },
  });
  await log.close();
  return record;
}
