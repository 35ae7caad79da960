import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, open, readdir, rename, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import { atPlace, changeFolderMode, InterferenceError } from '../isolation/at-place.js';
import { type BytePath, decodeName, depthOf, parentOf } from '../isolation/byte-path.js';
import { errnoOf } from '../workspace-error.js';
import type { Change } from './change.js';
import { readInTree, sameEntry, type TreeEntry } from './tree-entry.js';

/** One change with where its new content lies. */
export interface Move extends Change {
  /** The file with the content of `after`, when that is a file. */
  content: string | null;
  /** Time of last change to give a written file, in seconds; null for now. */
  mtime: number | null;
}

/**
 * Makes the changes, in the order in which they are possible: what goes first, innermost first, then folders, then files.
 * Each file is replaced in one step, and nothing is done through a link. `strict`: before each one the tree must be as `before` says, else it throws
 * `InterferenceError` at once. Otherwise what is already done is passed over, what is half done is finished, and paths that
 * somebody else changed are left alone and returned.
 */
export async function makeChanges(
  target: string,
  moves: readonly Move[],
  { id, strict }: { id: string; strict: boolean },
): Promise<string[]> {
  const foreign = new Set<string>();
  const innermostFirst = moves.toSorted((a, b) => depth(b) - depth(a));
  const outermostFirst = moves.toSorted((a, b) => depth(a) - depth(b));

  if (!strict) await removeTemporaries(target, moves, id);
  for (const move of innermostFirst)
    if (makesWay(move)) await proceed(move, (current) => removeOld(target, move, current));
  for (const move of outermostFirst)
    if (move.after?.type === 'folder') await proceed(move, () => makeFolder(target, move));
  for (const [index, move] of outermostFirst.entries()) {
    if (move.after === null || move.after.type === 'folder') continue;
    await proceed(move, () => putInPlace(target, move, `${temporaryName(id)}${index}`));
  }
  for (const move of innermostFirst) {
    if (move.after?.type === 'folder' && !foreign.has(move.path)) await changeMode(move, move.after.mode);
  }
  return [...foreign];

  async function proceed(move: Move, act: (current: TreeEntry | null) => Promise<void>): Promise<void> {
    if (foreign.has(move.path)) return;
    const current = await readInTree(target, decodeName(move.path));
    if (sameEntry(current, move.after)) return;
    try {
      if (!isExpected(move, current, strict)) throw new InterferenceError(move.path);
      await act(current);
    } catch (error) {
      if (strict || !(error instanceof InterferenceError)) throw error;
      foreign.add(move.path);
    }
  }

  async function changeMode({ path }: Move, mode: number): Promise<void> {
    try {
      await changeFolderMode(target, decodeName(path), mode);
    } catch (error) {
      if (strict || !(error instanceof InterferenceError)) throw error;
      foreign.add(path);
    }
  }
}

/** Puts the new entry beside the old one first, then in its place. */
function putInPlace(target: string, { path, after, content, mtime }: Move, name: string): Promise<void> {
  return atPlace(target, decodeName(path), async (place) => {
    const staging = Buffer.concat([place.subarray(0, place.lastIndexOf('/') + 1), Buffer.from(name)]);
    if (after?.type === 'symlink') await symlink(Buffer.from(decodeName(after.target), 'latin1'), staging);
    else if (after?.type === 'file' && content !== null) await stageFile(content, staging, after.mode, mtime);
    await keepOwner(place, staging);
    await rename(staging, place);
  });
}

function depth({ path }: Change): number {
  return depthOf(decodeName(path));
}

function temporaryName(id: string): string {
  return `.amplifier-${id.slice(0, 8)}-`;
}

/** Must the old entry be removed before the new one can come, or does nothing come? */
function makesWay({ before, after }: Change): boolean {
  return before !== null && (after === null || (before.type === 'folder') !== (after.type === 'folder'));
}

function isExpected({ before, after }: Change, current: TreeEntry | null, strict: boolean): boolean {
  if (sameEntry(current, before)) return true;
  if (current?.type === 'folder' && (before?.type === 'folder' || after?.type === 'folder')) return true;
  // Removed in the first round, to be replaced in a later one.
  return current === null && after !== null && (!strict || makesWay({ path: '', before, after }));
}

async function removeOld(target: string, { path, after }: Change, current: TreeEntry | null): Promise<void> {
  // After a kill it may be gone already, or what comes in its place may be there.
  if (current === null || !makesWay({ path, before: current, after })) return;
  if (current.type !== 'folder') return atPlace(target, decodeName(path), unlink);
  try {
    await atPlace(target, decodeName(path), rmdir);
  } catch (error) {
    // Holds something that is no part of the patch, such as ignored files: then it stays, unless a file must come here.
    if (errnoOf(error) !== 'ENOTEMPTY' && errnoOf(error) !== 'EEXIST') throw error;
    if (after !== null) throw new InterferenceError(path);
  }
}

async function makeFolder(target: string, { path }: Change): Promise<void> {
  try {
    // Writable for now; the mode it is to have is set when it is filled.
    await atPlace(target, decodeName(path), (place) => mkdir(place, { mode: 0o700 }));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

async function stageFile(
  content: string,
  staging: Buffer,
  mode: number,
  mtime: number | null,
): Promise<void> {
  // Nothing may be there, so that no link is followed; and from here on the file is held, whatever comes to bear its name.
  await copyFile(content, staging, constants.COPYFILE_EXCL);
  const file = await open(staging, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    if (mtime !== null) await file.utimes(mtime, mtime);
    await file.sync();
    await file.chmod(mode);
  } finally {
    await file.close();
  }
}

/** When root writes into somebody's tree, the file stays theirs. */
async function keepOwner(place: Buffer, staging: Buffer): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { lchown } = await import('node:fs/promises');
  const old = await lstat(place).catch(() => null);
  if (old && (old.uid !== 0 || old.gid !== 0)) await lchown(staging, old.uid, old.gid);
}

async function removeTemporaries(target: string, moves: readonly Change[], id: string): Promise<void> {
  const folders = new Set(moves.map(({ path }) => parentOf(decodeName(path))));
  for (const folder of folders) {
    const inside = (name: string): BytePath => (folder === '' ? name : `${folder}/${name}`);
    const list = (place: Buffer) => readdir(place.subarray(0, place.lastIndexOf('/')), 'latin1');
    const names = await atPlace(target, inside('.'), list).catch(() => []);
    for (const name of names.filter((name) => name.startsWith(temporaryName(id))))
      await atPlace(target, inside(name), (place) => rm(place, { force: true }));
  }
}
