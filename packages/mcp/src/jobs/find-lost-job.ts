import {
  type HostPaths,
  type JsonObject,
  type LaunchRecord,
  openStore,
  type SessionStore,
  storePlaces,
} from '@amplifier/host';
import { SEARCHED_SESSIONS } from '../defaults.js';
import { JOB_MEMBER, JobRecord } from './job-record.js';
import type { JobState } from './job-state.js';

/**
 * A job whose folder is gone, by what its session says of it; null when no session does. Only the last turn of a session is
 * known in full, so of several jobs in one session the last one is found.
 */
export async function findLostJob(run_id: string, paths: HostPaths): Promise<JobState | null> {
  for (const { sessions, queue } of await storePlaces(paths)) {
    await using store = await openStore(sessions);
    const found = await findIn(store, run_id);
    if (found) return { ...found.state, session: { ...found.session, sessions, queue } };
  }
  return null;
}

async function findIn(store: SessionStore, run_id: string) {
  const { sessions } = await store.list({ parent_id: null, limit: SEARCHED_SESSIONS });
  for (const { session_id, foreign } of sessions) {
    const kept = foreign ? null : await jobOf(store, session_id);
    if (kept?.record.run_id !== run_id) continue;
    const state = {
      ...kept.record,
      version: 1 as const,
      status: 'running' as const,
      finished_at: null,
      result: null,
    };
    return { state, session: { session_id, turn: kept.turn } };
  }
  return null;
}

/** The job of the session's present turn. The first is told by the launch, later ones by the session's own data. */
async function jobOf(
  store: SessionStore,
  session_id: string,
): Promise<{ record: JobRecord; turn: number } | null> {
  const { extra } = await store.metadata(session_id);
  const turn = typeof extra.turn === 'number' ? extra.turn : 1;
  const kept = turn > 1 ? extra[JOB_MEMBER] : await launchMember(store, session_id);
  const parsed = JobRecord.safeParse(kept);
  return parsed.success ? { record: parsed.data, turn } : null;
}

async function launchMember(store: SessionStore, session_id: string): Promise<unknown> {
  const launch = (await store.document(session_id, 'launch')) as unknown as LaunchRecord | null;
  const { metadata } = (launch?.plan.session ?? {}) as { metadata?: JsonObject };
  return metadata?.[JOB_MEMBER];
}
