import { existsSync } from 'node:fs';
import { hasCode, isSessionId, type SqlSessionStore } from '@amplifier/sessions';
import { HostError } from '../host-error.js';
import { type HostPaths, projectFolders } from '../host-paths.js';
import { openStore } from './open-store.js';
import { hasRecord } from './place-database.js';

/** The sessions of one project. */
export interface StorePlace {
  slug: string;
  sessions: string;
  queue: string;
}

export interface FoundSession {
  session_id: string;
  place: StorePlace;
  /** The folder it was started in. */
  working_dir: string | null;
}

/** What the ids of roots begin with. Nobody needs to type it. */
const ROOT_PREFIX = 'session_';

/** Every project that has sessions, the present one first. */
export async function storePlaces({ projects, sessions, queue, record }: HostPaths): Promise<StorePlace[]> {
  const here = { slug: '', sessions, queue };
  if (!(await hasRecord(record))) return [here];
  await using store = await openStore(sessions);
  const others = (await store.projects())
    .map((slug) => ({ slug, ...projectFolders(projects, slug) }))
    .filter((place) => place.sessions !== sessions);
  return [here, ...others];
}

/**
 * The session an id or the beginning of one means: in this project when it is there, else in any. Several that fit are an
 * error that names them.
 */
export async function findSession(prefix: string, paths: HostPaths): Promise<FoundSession> {
  if (isSessionId(prefix) && ((await hasRecord(paths.record)) || existsSync(paths.sessions))) {
    await using store = await openStore(paths.sessions);
    for (const written of [prefix, `${ROOT_PREFIX}${prefix}`]) {
      const session_id = await store.resolve(written).catch((error) => {
        if (hasCode(error, 'SESSION_NOT_FOUND')) return null;
        throw error;
      });
      if (session_id !== null) return { session_id, ...(await whereabouts(store, session_id, paths)) };
    }
  }
  throw new HostError(
    `No session is called '${prefix}'. List the sessions with: amplifier session list --all-projects`,
    { code: 'SESSION_NOT_FOUND', origin: prefix },
  );
}

/** A session whose record is damaged can still be found; what is wrong with it is said by whoever opens it. */
async function whereabouts(
  store: SqlSessionStore,
  session_id: string,
  { projects, sessions, queue }: HostPaths,
): Promise<Omit<FoundSession, 'session_id'>> {
  const project = (await store.metadata(session_id)).project;
  const folders = project === null ? { sessions, queue } : projectFolders(projects, project);
  const slug = folders.sessions === sessions ? '' : (project ?? '');
  const working_dir = await store.metadata(session_id).then(
    (metadata) => metadata.working_dir,
    () => null,
  );
  return { place: { slug, ...folders }, working_dir };
}
