import { randomUUID } from 'node:crypto';
import { lstat, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, isoTime, livenessOf, systemClock, systemLiveness } from '@amplifier/core';
import { PATCH_MAX_BYTES, PATCH_MAX_CHANGES } from '../defaults.js';
import { type ProvenFolder, pathChanged, proveFolder, provenLooks } from '../grant/proven-folder.js';
import type { Looked } from '../grant/real-path.js';
import { atPlace, InterferenceError } from '../isolation/at-place.js';
import { decodeName, onDisk } from '../isolation/byte-path.js';
import { copyUnlinked } from '../isolation/copy-tree.js';
import { withTreeLock } from '../processes/with-lock.js';
import { errnoOf, WorkspaceError } from '../workspace-error.js';
import {
  type ApplyRecord,
  type ApplyStep,
  applyPlaces,
  listApplyIds,
  loadApply,
  saveApply,
  targetOfApply,
} from './apply-record.js';
import { type Change, invertChange } from './change.js';
import { type Conflict, checkChanges } from './check-changes.js';
import { type Move, makeChanges } from './make-changes.js';
import type { Patch } from './make-patch.js';
import { hashFile } from './tree-entry.js';

/** `looked` keeps `realPathOf` from resolving the path again. */
export type FolderCheck = (folder: string, looked: Looked) => Promise<unknown>;

export interface ApplyOptions {
  /** The workspace home, as for the isolation. */
  home: string;
  /** Throws if the folder must not be changed. Gets the real path of the folder that is held open, never the name it was found by. */
  check?: FolderCheck | undefined;
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
 * is a conflict, never overwritten. If we are killed in the middle, `recoverApplies` restores the old tree. The target is opened
 * once, and everything is read and written through that handle. Throws `PATH_CHANGED` if its path leads through a link.
 */
export async function applyPatch(
  patch: Patch,
  { home, clock = systemClock, check }: ApplyOptions,
): Promise<ApplyResult> {
  if (patch.is_cut)
    throw new WorkspaceError(
      `There are more than ${PATCH_MAX_CHANGES} changes, or more than ${PATCH_MAX_BYTES} bytes, so they are not applied. They are kept in the isolated tree ${patch.isolation_id}.`,
      { code: 'PATCH_TOO_LARGE' },
    );
  return withTreeLock(home, patch.target, async () => {
    await using target = await openTarget(patch.target, check, true);
    await recoverTree(home, target);
    const proposed = ({ path }: Change) => onDisk(patch.content, decodeName(path)).toString();
    const { pending, conflicts } = await checkChanges(target.via, patch.changes, proposed, target.path);
    if (conflicts.length > 0) return { status: 'conflict', conflicts };
    const record: ApplyRecord = {
      version: 1,
      id: randomUUID(),
      target: target.path,
      state: 'preparing',
      isolation_id: patch.isolation_id,
      steps: await Promise.all(pending.map((change) => stepOf(target, change))),
      owner: systemLiveness.self,
      created_at: isoTime(clock),
    };
    await saveApply(home, record);
    await storeContents(home, record, { before: target.via, after: patch.content });
    await saveApply(home, { ...record, state: 'applying' });
    // Awaited: the folder is held until it is done.
    return await carryOut(home, target, record, proposed);
  });
}

async function carryOut(
  home: string,
  target: ProvenFolder,
  record: ApplyRecord,
  proposed: (change: Change) => string,
): Promise<ApplyResult> {
  try {
    await makeChanges(target.via, forward(home, record), { id: record.id, strict: true });
  } catch (error) {
    await takeBack(home, target, record);
    if (!(error instanceof InterferenceError)) throw error;
    const { conflicts } = await checkChanges(target.via, record.steps, proposed, target.path);
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

/** Opens the folder that a patch is for, and has it checked while it is held. */
async function openTarget(
  path: string,
  check: FolderCheck | undefined,
  create: boolean,
): Promise<ProvenFolder> {
  const target = await proveFolder(path, create).catch((error) => {
    throw ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error) ?? '') ? pathChanged(path) : error;
  });
  try {
    await check?.(target.path, provenLooks(target.path));
    return target;
  } catch (error) {
    await target[Symbol.asyncDispose]();
    throw error;
  }
}

/** Brings back the tree as it was before, bit for bit. Refuses with a conflict when one of its files was changed since. */
export async function undoApply(id: string, { home, check }: ApplyOptions): Promise<UndoResult> {
  const { target: path } = await loadApply(home, id);
  return withTreeLock(home, path, async () => {
    await using target = await openTarget(path, check, false);
    await recoverTree(home, target);
    const record = await loadApply(home, id);
    if (record.state !== 'applied') {
      throw new WorkspaceError(`The patch ${id} is ${record.state}, so it cannot be undone.`, {
        code: 'APPLY_NOT_UNDOABLE',
      });
    }
    const original = (change: Change) => contentOf(home, record, 'before', change);
    const steps = record.steps.map(invertChange);
    const { conflicts } = await checkChanges(target.via, steps, original, target.path);
    if (conflicts.length > 0) return { status: 'conflict', conflicts };
    await saveApply(home, { ...record, state: 'undoing', owner: systemLiveness.self });
    await takeBack(home, target, record);
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
    recovered.push(...(await withTreeLock(home, target, () => recoverAt(home, target))));
  }
  return recovered;
}

/** A folder that is gone, or that a link has replaced, is left alone with all paths in it. */
async function recoverAt(home: string, path: string): Promise<RecoveredApply[]> {
  const opened = await openTarget(path, undefined, false).catch((error) => {
    if (!['ENOENT', 'PATH_CHANGED'].includes(errnoOf(error) ?? '')) throw error;
    return null;
  });
  if (opened === null) return recoverTree(home, { path, via: null });
  await using target = opened;
  return await recoverTree(home, target);
}

/** `via` is null if the folder cannot be opened. */
interface Recoverable {
  path: string;
  via: string | null;
}

/** Must hold the tree's lock: then nobody is at work here, and whatever is unfinished was abandoned. */
async function recoverTree(home: string, target: Recoverable): Promise<RecoveredApply[]> {
  const recovered: RecoveredApply[] = [];
  for (const id of await listApplyIds(home)) {
    if ((await targetOfApply(home, id)) !== target.path) continue;
    const record = await loadIfThere(home, id);
    if (record?.target !== target.path || !isUnfinished(record)) continue;
    if (record.state === 'preparing')
      await rm(applyPlaces(home, id).folder, { recursive: true, force: true });
    else
      recovered.push({ apply_id: id, target: target.path, left_alone: await takeBack(home, target, record) });
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
async function takeBack(home: string, { via }: Recoverable, record: ApplyRecord): Promise<string[]> {
  const { id, steps } = record;
  const leftAlone =
    via === null
      ? steps.map(({ path }) => path)
      : await makeChanges(via, backward(home, record), { id, strict: false });
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

async function stepOf({ via }: ProvenFolder, change: Change): Promise<ApplyStep> {
  const before_mtime =
    change.before?.type === 'file'
      ? (await atPlace(via, decodeName(change.path), (place) => lstat(place)).catch(replaced)).mtimeMs / 1000
      : null;
  return { ...change, before_mtime };
}

/** Copies both contents of every file to a safe place, and makes sure that they are what the record says. */
async function storeContents(
  home: string,
  record: ApplyRecord,
  roots: { before: string; after: string },
): Promise<void> {
  const places = applyPlaces(home, record.id);
  try {
    for (const side of ['before', 'after'] as const) {
      await mkdir(dirname(places.content(side, 0)), { recursive: true, mode: 0o700 });
      for (const [index, step] of record.steps.entries()) {
        const entry = step[side];
        if (entry?.type !== 'file') continue;
        await storeContent(roots[side], step.path, places.content(side, index), entry.sha256);
      }
    }
  } catch (error) {
    await rm(places.folder, { recursive: true, force: true });
    throw error;
  }
}

async function storeContent(root: string, path: string, to: string, sha256: string): Promise<void> {
  await atPlace(root, decodeName(path), (from) => copyUnlinked(from, to)).catch(replaced);
  const file = await open(to, 'r');
  await file.sync().finally(() => file.close());
  if ((await hashFile(to)).sha256 !== sha256) throw stale(path);
}

function replaced(error: unknown): never {
  throw error instanceof InterferenceError ? stale(error.path) : error;
}

function stale(path: string): WorkspaceError {
  return new WorkspaceError(
    `${path} changed while the patch was being applied. Nothing was touched; try again.`,
    { code: 'PATCH_STALE', retryable: true },
  );
}
