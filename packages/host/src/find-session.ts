import { readdir } from 'node:fs/promises';
import { hasCode, isSessionId, type SessionStore } from '@amplifier/sessions';
import { HostError } from './host-error.js';
import { type HostPaths, projectFolders } from './host-paths.js';
import { openStore } from './open-store.js';

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
export async function storePlaces({ projects, sessions, queue }: HostPaths): Promise<StorePlace[]> {
  const names = await readdir(projects, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const others = names
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ slug: name, ...projectFolders(projects, name) }))
    .filter((place) => place.sessions !== sessions);
  return [{ slug: '', sessions, queue }, ...others];
}

/**
 * The session an id or the beginning of one means: in this project when it is there, else in any. Several that fit are an
 * error that names them.
 */
export async function findSession(prefix: string, paths: HostPaths): Promise<FoundSession> {
  if (isSessionId(prefix)) {
    const found: FoundSession[] = [];
    for (const place of await storePlaces(paths)) {
      const session = await resolveIn(place, prefix);
      if (session === null) continue;
      if (place.sessions === paths.sessions || session.session_id === prefix) return session;
      found.push(session);
    }
    const [only, second] = found;
    if (only && !second) return only;
    if (only && second) {
      throw new HostError(
        `${found.length} projects have a session that begins with ${prefix}, among them ${only.session_id} and ${second.session_id}. Give more of the id.`,
        { code: 'SESSION_AMBIGUOUS', origin: prefix },
      );
    }
  }
  throw new HostError(
    `No session is called '${prefix}'. Run 'amplifier session list --all-projects' to see which there are.`,
    { code: 'SESSION_NOT_FOUND', origin: prefix },
  );
}

async function resolveIn(place: StorePlace, prefix: string): Promise<FoundSession | null> {
  const { sessions } = place;
  const folder = await readdir(sessions).catch(() => []);
  const written = [prefix, `${ROOT_PREFIX}${prefix}`].find((text) =>
    folder.some((name) => name.startsWith(text)),
  );
  if (written === undefined) return null;
  await using store: SessionStore = await openStore(sessions);
  try {
    const session_id = await store.resolve(written);
    return { session_id, place, working_dir: await workingDir(store, session_id) };
  } catch (error) {
    if (hasCode(error, 'SESSION_NOT_FOUND')) return null;
    throw error;
  }
}

/** A session whose record is damaged can still be found; what is wrong with it is said by whoever opens it. */
async function workingDir(store: SessionStore, session_id: string): Promise<string | null> {
  return store.metadata(session_id).then(
    ({ working_dir }) => working_dir,
    () => null,
  );
}
