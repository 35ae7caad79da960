import {
  eventPages,
  type HostPaths,
  isPlainObject,
  type JsonObject,
  type openAllRuns,
  projectFolders,
  type SessionLog,
  type SessionMetadata,
  type SessionStore,
} from '@amplifier/host';
import { SEARCHED_SESSIONS } from '../defaults.js';
import { JobRecord, type JobState, stateOf } from './job-order.js';

// Jobs whose runs have expired, or were of earlier versions, are known by what their sessions say of them.

/** The member of the launch's metadata that holds the job of the first turn. */
export const JOB_MEMBER = 'mcp_job';
/** The member of the session's own data that says which later turn is which job. */
const LATER_JOBS = 'mcp_jobs';
/** The event that tells a later job in full. */
const JOB_EVENT = 'mcp:job';

/**
 * Says in the session which job its next turn is. The first turn is told by the launch. Must be on disk before the turn begins,
 * so that the job is found again whatever becomes of this process.
 */
export async function recordJob(log: SessionLog, turn: number, record: JobRecord): Promise<void> {
  const known = laterJobs(log.metadata);
  await Promise.all([
    log.appendEvents([{ name: JOB_EVENT, data: record as unknown as JsonObject }]),
    log.update({ extra: { [LATER_JOBS]: { ...known, [record.run_id]: turn } } }),
  ]);
}

/** The sessions of all projects. */
export type AllSessions = Awaited<ReturnType<typeof openAllRuns>>['store'];

/** Every job that sessions tell of, newest session first, or the one with this id; those in `known` are left out. */
export async function* sessionJobs(
  store: AllSessions,
  paths: HostPaths,
  { known, run_id: wanted }: { known?: ReadonlySet<string>; run_id?: string },
): AsyncGenerator<JobState> {
  const found = new Set(known);
  for await (const session_id of recentSessions(store)) {
    // A damaged session is reported when it is opened; it must not hide the others.
    const metadata = await store.metadata(session_id).catch(() => null);
    for (const [run_id, turn] of metadata ? turnsOf(metadata) : []) {
      // A job that fell back has several sessions; the newest is the one it ended in.
      if (found.has(run_id) || (wanted !== undefined && run_id !== wanted)) continue;
      const record = metadata && (await recordIn(store, metadata, run_id, turn));
      if (!record) continue;
      found.add(run_id);
      yield stateOf(record, 'running', { ...placeOf(metadata, paths), session_id, turn });
    }
  }
}

async function* recentSessions(store: AllSessions): AsyncGenerator<string> {
  for (const project of await store.projects()) {
    const { sessions } = await store.list({ project, parent_id: null, limit: SEARCHED_SESSIONS });
    for (const { session_id } of sessions) yield session_id;
  }
}

function turnsOf(metadata: SessionMetadata): Map<string, number> {
  const first = firstJob(metadata);
  const later = Object.entries(laterJobs(metadata));
  return new Map([...(first ? [[first.run_id, 1] as const] : []), ...later]);
}

async function recordIn(store: SessionStore, metadata: SessionMetadata, run_id: string, turn: number) {
  if (turn === 1) return firstJob(metadata);
  const { data, success } = JobRecord.safeParse(await eventOf(store, metadata.session_id, run_id));
  return success && data.run_id === run_id ? data : null;
}

async function eventOf(store: SessionStore, session_id: string, run_id: string): Promise<unknown> {
  let found: unknown;
  for await (const events of eventPages(store, session_id))
    found = events.findLast(({ name, data }) => name === JOB_EVENT && data.run_id === run_id)?.data ?? found;
  return found;
}

/** The job that the session was started for. */
export function firstJob({ config }: Pick<SessionMetadata, 'config'>): JobRecord | null {
  const { metadata } = (isPlainObject(config?.session) ? config.session : {}) as { metadata?: JsonObject };
  return JobRecord.safeParse(metadata?.[JOB_MEMBER]).data ?? null;
}

function laterJobs({ extra }: SessionMetadata): Record<string, number> {
  const jobs = extra[LATER_JOBS];
  return isPlainObject(jobs) ? (jobs as Record<string, number>) : {};
}

/** Where the sessions of its project are. */
export function placeOf({ project }: Pick<SessionMetadata, 'project'>, paths: HostPaths) {
  const { sessions, queue } = paths;
  return project === null ? { sessions, queue } : projectFolders(paths.projects, project);
}
