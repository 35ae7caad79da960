import {
  eventPages,
  type HostPaths,
  isPlainObject,
  type JsonObject,
  openStore,
  type SessionLog,
  type SessionMetadata,
  type SessionStore,
  storePlaces,
} from '@amplifier/host';
import { SEARCHED_SESSIONS } from '../defaults.js';
import { JOB_MEMBER, JobRecord, jobRecord } from './job-record.js';
import type { JobState } from './job-state.js';

/** The member of the session's own data that says which later turn is which job. */
const LATER_JOBS = 'mcp_jobs';
/** The event that tells a later job in full. */
const JOB_EVENT = 'mcp:job';

/**
 * Says in the session which job its next turn is. The first turn is told by the launch. Must be on disk before the turn begins,
 * so that the job is found again whatever becomes of this process.
 */
export async function recordJob(log: SessionLog, turn: number, state: JobState): Promise<void> {
  const known = laterJobs(log.metadata);
  await Promise.all([
    log.appendEvents([{ name: JOB_EVENT, data: jobRecord(state) as unknown as JsonObject }]),
    log.update({ extra: { [LATER_JOBS]: { ...known, [state.run_id]: turn } } }),
  ]);
}

/** A job by what its session says of it; null when no session does. */
export async function findSessionJob(run_id: string, paths: HostPaths): Promise<JobState | null> {
  for await (const { store, place, metadata } of sessionsOf(paths)) {
    const turn = turnsOf(metadata).get(run_id);
    if (turn === undefined) continue;
    const record = await recordOf(store, metadata, run_id, turn);
    if (record) return stateOf(record, { ...place, session_id: metadata.session_id, turn });
  }
  return null;
}

/** Every job that sessions tell of, newest session first; those in `known` are left out. */
export async function listSessionJobs(paths: HostPaths, known: ReadonlySet<string>): Promise<JobState[]> {
  const found = new Map<string, JobState>();
  for await (const { store, place, metadata } of sessionsOf(paths)) {
    for (const [run_id, turn] of turnsOf(metadata)) {
      // A job that fell back has several sessions; the newest is the one it ended in.
      if (known.has(run_id) || found.has(run_id)) continue;
      const record = await recordOf(store, metadata, run_id, turn);
      if (record) found.set(run_id, stateOf(record, { ...place, session_id: metadata.session_id, turn }));
    }
  }
  return [...found.values()];
}

async function* sessionsOf(paths: HostPaths) {
  for (const { sessions, queue } of await storePlaces(paths)) {
    await using store = await openStore(sessions);
    const page = await store.list({ parent_id: null, limit: SEARCHED_SESSIONS });
    for (const { session_id } of page.sessions) {
      // A damaged session is told of by whoever opens it; it must not hide the others.
      const metadata = await store.metadata(session_id).catch(() => null);
      if (metadata) yield { store, place: { sessions, queue }, metadata };
    }
  }
}

function turnsOf(metadata: SessionMetadata): Map<string, number> {
  const first = JobRecord.safeParse(firstJob(metadata));
  const later = Object.entries(laterJobs(metadata));
  return new Map([...(first.success ? [[first.data.run_id, 1] as const] : []), ...later]);
}

async function recordOf(store: SessionStore, metadata: SessionMetadata, run_id: string, turn: number) {
  const kept = turn === 1 ? firstJob(metadata) : await eventOf(store, metadata.session_id, run_id);
  const parsed = JobRecord.safeParse(kept);
  return parsed.success && parsed.data.run_id === run_id ? parsed.data : null;
}

async function eventOf(store: SessionStore, session_id: string, run_id: string): Promise<unknown> {
  let found: unknown;
  for await (const events of eventPages(store, session_id))
    found = events.findLast(({ name, data }) => name === JOB_EVENT && data.run_id === run_id)?.data ?? found;
  return found;
}

function firstJob({ config }: SessionMetadata): unknown {
  const { metadata } = (isPlainObject(config?.session) ? config.session : {}) as { metadata?: JsonObject };
  return metadata?.[JOB_MEMBER];
}

function laterJobs({ extra }: SessionMetadata): Record<string, number> {
  const jobs = extra[LATER_JOBS];
  return isPlainObject(jobs) ? (jobs as Record<string, number>) : {};
}

function stateOf(record: JobRecord, session: NonNullable<JobState['session']>): JobState {
  return { ...record, version: 1, status: 'running', finished_at: null, result: null, session };
}
