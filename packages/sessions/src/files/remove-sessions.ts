import { chooseExpired } from '../choose-expired.js';
import { active, hasChildren } from '../refusals.js';
import { hasCode } from '../session-error.js';
import type { DeleteOptions, RetentionPolicy, RetentionReport } from '../session-store.js';
import { folderBytes } from './folder.js';
import { sessionPaths } from './layout.js';
import { readSummary } from './read-summary.js';
import type { StoreContext } from './store-context.js';
import { loadSession } from './stored-session.js';
import { discard } from './trash.js';
import { WriterLock } from './writer-lock.js';

/** Moves a session, and what its children policy says, to the trash. Returns what went, children first. */
export async function deleteSession(
  store: StoreContext,
  session_id: string,
  { children = 'refuse', force = false }: DeleteOptions,
): Promise<string[]> {
  const { folder, layout, index } = store;
  const status = await statusOf(store, session_id, sessionPaths(folder, layout, session_id));
  if (status === 'active' && !force) throw active(session_id);
  const below = children === 'orphan' ? [] : await index.children(session_id);
  if (below.length > 0 && children === 'refuse') throw hasChildren(session_id, below.length);
  const deleted: string[] = [];
  for (const child of below) {
    deleted.push(...(await deleteSession(store, child.session_id, { children, force })));
  }
  await discardSession(store, session_id);
  return [...deleted, session_id];
}

export async function retainSessions(store: StoreContext, policy: RetentionPolicy): Promise<RetentionReport> {
  const { index, clock, folder, layout } = store;
  await index.refresh();
  const chosen = chooseExpired(index.entries(), policy, clock.now());
  const report: RetentionReport = { session_ids: [], bytes: 0, dry_run: policy.dry_run ?? false };
  for (const { session_id } of chosen) {
    const bytes = await folderBytes(sessionPaths(folder, layout, session_id).folder);
    if (!report.dry_run && !(await discardUnlessOwned(store, session_id))) continue;
    report.session_ids.push(session_id);
    report.bytes += bytes;
  }
  return report;
}

/** Makes the index say of a session what the session itself says. */
export async function reindex(
  { folder, layout, index, report }: StoreContext,
  session_id: string,
): Promise<void> {
  const found = await readSummary(folder, layout, session_id, report);
  if (found) await index.put(found.summary, found.rev);
}

/** A session of another program has a status, too: whatever its own log says, nobody of ours is at work on it. */
async function statusOf(
  { index }: StoreContext,
  session_id: string,
  paths: Parameters<typeof loadSession>[1],
): Promise<string> {
  try {
    return (await loadSession(session_id, paths)).metadata.status;
  } catch (error) {
    if (!hasCode(error, 'SESSION_FOREIGN')) throw error;
    return index.get(session_id)?.status ?? 'completed';
  }
}

/** The session is marked as going before it goes, so that a listing looks for itself in between. */
async function discardSession(store: StoreContext, session_id: string): Promise<void> {
  const { index, liveness, clock, layout } = store;
  const { folder } = sessionPaths(store.folder, layout, session_id);
  const lock = WriterLock.acquire(folder, `Session ${session_id}`, { liveness, clock });
  const entry = index.get(session_id);
  try {
    if (entry) await index.put(entry, entry.rev, 'removal');
    lock.release();
    await discard(store, session_id);
  } catch (error) {
    if (entry) await index.put(entry, entry.rev);
    throw error;
  }
  await index.remove(session_id);
}

async function discardUnlessOwned(store: StoreContext, session_id: string): Promise<boolean> {
  try {
    await discardSession(store, session_id);
    return true;
  } catch (error) {
    if (hasCode(error, 'SESSION_LOCKED') || hasCode(error, 'SESSION_NOT_FOUND')) return false;
    throw error;
  }
}
