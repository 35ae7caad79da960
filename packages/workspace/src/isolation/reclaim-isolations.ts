import { hasEnded } from '@amplifier/core';
import { makePatch } from '../patches/make-patch.js';
import { errnoOf, WorkspaceError } from '../workspace-error.js';
import {
  type IsolationRecord,
  isolationPlaces,
  listIds,
  loadRecord,
  saveRecord,
} from './isolation-record.js';
import { removeIsolation } from './make-tree.js';

export interface ReclaimedIsolation {
  id: string;
  /** `removed`: it held no work. `kept`: it does, and waits for a person. */
  outcome: 'removed' | 'kept';
  tree: string;
  note: string;
}

/**
 * The isolated trees below the home, all or those with these ids, oldest first. Throws for a record that cannot be read, unless
 * `onUnreadable` takes it.
 */
export async function listIsolations(
  home: string,
  onUnreadable?: (record: UnreadableRecord) => void,
  ids?: readonly string[],
): Promise<IsolationRecord[]> {
  const load = onUnreadable ? readableOnly(loadIfThere, onUnreadable) : loadIfThere;
  const records = await Promise.all((ids ?? (await listIds(home))).map((id) => load(home, id)));
  return records.flatMap((record) => record ?? []).sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
}

/**
 * Goes through the trees whose owner died: those without work are removed, those with work are kept under their name. Work is
 * never removed here, and trees of living owners are not touched. Call it at start.
 */
export async function reclaimIsolations(home: string): Promise<ReclaimedIsolation[]> {
  const reclaimed: ReclaimedIsolation[] = [];
  for (const id of await listIds(home)) {
    const record = await loadIfThere(home, id);
    if (!record || record.state === 'kept' || !hasEnded(record.owner)) continue;
    reclaimed.push(await reclaim(home, record));
  }
  return reclaimed;
}

async function reclaim(home: string, record: IsolationRecord): Promise<ReclaimedIsolation> {
  const { tree } = isolationPlaces(home, record.id);
  if (record.state === 'making' || !(await holdsWork(home, record))) {
    await removeIsolation(home, record);
    return { id: record.id, outcome: 'removed', tree, note: 'Its process died and it held no work.' };
  }
  const note = `Its process died. The work is in ${tree}.`;
  await saveRecord(home, { ...record, state: 'kept', note });
  return { id: record.id, outcome: 'kept', tree, note };
}

async function holdsWork(home: string, record: IsolationRecord): Promise<boolean> {
  const { changes, ignored, skipped } = await makePatch(home, record);
  return changes.length + ignored.length + skipped.length > 0;
}

/** A record of a tree or of an applied proposal that cannot be read. */
export interface UnreadableRecord {
  id: string;
  /** Names the file and what is wrong with it. */
  message: string;
}

/** The same, with null for a record that cannot be read, which is reported instead of thrown. */
export function readableOnly<T>(
  load: (home: string, id: string) => Promise<T>,
  onUnreadable: (record: UnreadableRecord) => void,
): (home: string, id: string) => Promise<T | null> {
  return async (home, id) => {
    try {
      return await load(home, id);
    } catch (error) {
      if (!(error instanceof WorkspaceError) || error.code !== 'RECORD_INVALID') throw error;
      onUnreadable({ id, message: error.message });
      return null;
    }
  };
}

async function loadIfThere(home: string, id: string): Promise<IsolationRecord | null> {
  try {
    return await loadRecord(home, id);
  } catch (error) {
    if (errnoOf(error) === 'ISOLATION_NOT_FOUND') return null;
    throw error;
  }
}
