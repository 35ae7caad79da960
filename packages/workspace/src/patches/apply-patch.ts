import { randomUUID } from 'node:crypto';
import { copyFile, lstat, mkdir, open, realpath, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, isoTime, systemClock } from '@amplifier/core';
import { InterferenceError } from '../isolation/at-place.js';
import { decodeName, onDisk } from '../isolation/byte-path.js';
import { livenessOf, ownIdentity } from '../processes/process-identity.js';
import { withTreeLock } from '../processes/with-lock.js';
import { errnoOf, WorkspaceError } from '../workspace-error.js';
import {
  type ApplyRecord,
  type ApplyStep,
  applyPlaces,
  listApplyIds,
  loadApply,
  saveApply,
} from './apply-record.js';
import { type Change, invertChange } from './change.js';
import { type Conflict, checkChanges } from './check-changes.js';
import { type Move, makeChanges } from './make-changes.js';
import type { Patch } from './make-patch.js';
import { hashFile } from './tree-entry.js';

export interface ApplyOptions {
  /** The workspace home, as for the isolation. */
  home: string;
  clock?: Clock | undefined;
}

export type ApplyResult =
  /** All of it is in the tree. `apply_id` undoes it. `changes` leaves out what was there already. */
  | { status: 'applied'; apply_id: string; changes: Change[] }
  /** Nothing was changed. */
  | { status: 'conflict'; conflicts: Conflict[] };

export type UndoResult = { status: 'undone' } | { status: 'conflict'; conflicts: Conflict[] };

/**
 * Applies a patch to its target: all of it, or nothing. A path that was changed by somebody else since the isolated tree was made
 * is a conflict, never overwritten. If we are killed in the middle, `recoverApplies` brings the old tree back.
 */
export async function applyPatch(
  patch: Patch,
  { home, clock = systemClock }: ApplyOptions,
): Promise<ApplyResult> {
  await mkdir(patch.target, { recursive: true });
  const target = await realpath(patch.target);
  return withTreeLock(home, target, async () => {
    await recoverTree(home, target);
    const proposed = ({ path }: Change) => onDisk(patch.content, decodeName(path)).toString();
    const { pending, conflicts } = await checkChanges(target, patch.changes, proposed);
    if (conflicts.length > 0) return { status: 'conflict', conflicts };
    const record: ApplyRecord = {
      version: 1,
      id: randomUUID(),
      target,
      state: 'preparing',
      isolation_id: patch.isolation_id,
      steps: await Promise.all(pending.map((change) => stepOf(target, change))),
      owner: ownIdentity(),
      created_at: isoTime(clock),
    };
    await saveApply(home, record);
    await storeContents(home, record, patch.content);
    await saveApply(home, { ...record, state: 'applying' });
    return carryOut(home, record, proposed);
  });
}

async function carryOut(
  home: string,
  record: ApplyRecord,
  proposed: (change: Change) => string,
): Promise<ApplyResult> {
  try {
    await makeChanges(record.target, forward(home, record), { id: record.id, strict: true });
  } catch (error) {
    await takeBack(home, record);
    if (!(error instanceof InterferenceError)) throw error;
    const { conflicts } = await checkChanges(record.target, record.steps, proposed);
    if (conflicts.length > 0) return { status: 'conflict', conflicts };
    throw new WorkspaceError(`${error.message} The patch was taken back; apply it again.`, {
      code: 'WORKSPACE_BUSY',
      retryable: true,
    });
  }
  await saveApply(home, { ...record, state: 'applied' });
  const changes = record.steps.map(({ path, before, after }) => ({ path, before, after }));
  return { status: 'applied', apply_id: record.id, changes };
}

/** Brings back the tree as it was before, bit for bit. Refuses with a conflict when one of its files was changed since. */
export async function undoApply(id: string, { home }: ApplyOptions): Promise<UndoResult> {
  const { target } = await loadApply(home, id);
  return withTreeLock(home, target, async () => {
    await recoverTree(home, target);
    const record = await loadApply(home, id);
    if (record.state !== 'applied') {
      throw new WorkspaceError(`The patch ${id} is ${record.state}, so it cannot be undone.`, {
        code: 'APPLY_NOT_UNDOABLE',
      });
    }
    const original = (change: Change) => contentOf(home, record, 'before', change);
    const { conflicts } = await checkChanges(target, record.steps.map(invertChange), original);
    if (conflicts.length > 0) return { status: 'conflict', conflicts };
    await saveApply(home, { ...record, state: 'undoing', owner: ownIdentity() });
    await takeBack(home, record);
    return { status: 'undone' };
  });
}

export interface RecoveredApply {
  apply_id: string;
  target: string;
  /** Paths that somebody else changed in the meantime: they were left as they are. Normally empty. */
  left_alone: string[];
}

/** Finishes what a process that died in the middle of applying or undoing left: its old tree comes back. Call it at start. */
export async function recoverApplies(home: string): Promise<RecoveredApply[]> {
  const targets = new Set<string>();
  for (const id of await listApplyIds(home)) {
    const record = await loadIfThere(home, id);
    if (record && isUnfinished(record) && livenessOf(record.owner) !== 'alive') targets.add(record.target);
  }
  const recovered: RecoveredApply[] = [];
  for (const target of targets) {
    recovered.push(...(await withTreeLock(home, target, () => recoverTree(home, target))));
  }
  return recovered;
}

/** Must hold the tree's lock: then nobody is at work here, and whatever is unfinished was abandoned. */
async function recoverTree(home: string, target: string): Promise<RecoveredApply[]> {
  const recovered: RecoveredApply[] = [];
  for (const id of await listApplyIds(home)) {
    const record = await loadIfThere(home, id);
    if (record?.target !== target || !isUnfinished(record)) continue;
    if (record.state === 'preparing')
      await rm(applyPlaces(home, id).folder, { recursive: true, force: true });
    else recovered.push({ apply_id: id, target, left_alone: await takeBack(home, record) });
  }
  return recovered;
}

function isUnfinished({ state }: ApplyRecord): boolean {
  return state !== 'applied' && state !== 'undone';
}

async function loadIfThere(home: string, id: string): Promise<ApplyRecord | null> {
  try {
    return await loadApply(home, id);
  } catch (error) {
    // One that cannot be read is never acted on; undoing it names it.
    if (!['APPLY_NOT_FOUND', 'RECORD_INVALID'].includes(errnoOf(error) ?? '')) throw error;
    return null;
  }
}

/** From whatever state back to the old tree. */
async function takeBack(home: string, record: ApplyRecord): Promise<string[]> {
  const leftAlone = await makeChanges(record.target, backward(home, record), {
    id: record.id,
    strict: false,
  });
  await saveApply(home, { ...record, state: 'undone' });
  return leftAlone;
}

function forward(home: string, record: ApplyRecord): Move[] {
  return record.steps.map((step) => ({
    ...step,
    content: contentOf(home, record, 'after', step),
    mtime: null,
  }));
}

function backward(home: string, record: ApplyRecord): Move[] {
  return record.steps.map((step) => ({
    ...invertChange(step),
    content: contentOf(home, record, 'before', step),
    mtime: step.before_mtime,
  }));
}

function contentOf(home: string, record: ApplyRecord, side: 'before' | 'after', { path }: Change): string {
  const index = record.steps.findIndex((step) => step.path === path);
  return applyPlaces(home, record.id).content(side, index);
}

async function stepOf(target: string, change: Change): Promise<ApplyStep> {
  const before_mtime =
    change.before?.type === 'file'
      ? (await lstat(onDisk(target, decodeName(change.path)))).mtimeMs / 1000
      : null;
  return { ...change, before_mtime };
}

/** Copies both contents of every file to a safe place, and makes sure that they are what the record says. */
async function storeContents(home: string, record: ApplyRecord, content: string): Promise<void> {
  const places = applyPlaces(home, record.id);
  try {
    for (const [side, root] of [
      ['before', record.target],
      ['after', content],
    ] as const) {
      await mkdir(dirname(places.content(side, 0)), { recursive: true, mode: 0o700 });
      for (const [index, step] of record.steps.entries()) {
        const entry = step[side];
        if (entry?.type !== 'file') continue;
        await storeContent(onDisk(root, decodeName(step.path)), places.content(side, index), entry.sha256);
      }
    }
  } catch (error) {
    await rm(places.folder, { recursive: true, force: true });
    throw error;
  }
}

async function storeContent(from: Buffer, to: string, sha256: string): Promise<void> {
  await copyFile(from, to);
  const file = await open(to, 'r');
  await file.sync().finally(() => file.close());
  if ((await hashFile(to)).sha256 === sha256) return;
  throw new WorkspaceError(
    `${from.toString()} changed while the patch was being applied. Nothing was touched; try again.`,
    {
      code: 'PATCH_STALE',
      retryable: true,
    },
  );
}
