import type { SessionStore } from '@amplifier/sessions';
import { daemonRecord } from '../sessions/session-view.js';
import { type ProfileId, profileId } from './profile-names.js';
import type { ProfileStore } from './profile-store.js';

/** Removes compiled versions that do not count any more and that no session that may still run was planned from. */
export async function collectGarbage(profiles: ProfileStore, sessions: SessionStore): Promise<string[]> {
  const removed: string[] = [];
  const needed = new Map<string, Set<string>>();
  for (const version of await profiles.superseded()) {
    const id = profileId(version);
    const hashes = needed.get(id) ?? (await neededVersions(version, sessions));
    needed.set(id, hashes);
    if (hashes.has(version.hash)) continue;
    await profiles.removeVersion(version);
    removed.push(`${id}/${version.hash}`);
  }
  return removed;
}

async function neededVersions(id: ProfileId, sessions: SessionStore): Promise<Set<string>> {
  const hashes = new Set<string>();
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { profile_name: profileId(id), status: ['created', 'active'] as const, limit: 1_000 };
    const page = await sessions.list({ ...query, ...(cursor ? { cursor } : {}) });
    for (const { session_id } of page.sessions) {
      const record = (await sessions.has(session_id))
        ? daemonRecord(await sessions.metadata(session_id))
        : null;
      if (record?.lock_hash) hashes.add(record.lock_hash);
    }
    cursor = page.next_cursor;
  }
  return hashes;
}
