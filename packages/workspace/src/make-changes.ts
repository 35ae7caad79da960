import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  rmdir,
  symlink,
  unlink,
  utimes,
} from 'node:fs/promises';
import { type BytePath, decodeName, depthOf, onDisk, parentOf } from './byte-path.js';
import type { Change } from './patch.js';
import { readInTree, sameEntry, type TreeEntry } from './tree-entry.js';
import { errnoOf } from './workspace-error.js';

/** One change with where its new content lies. */
export interface Move extends Change {
  /** The file with the content of `after`, when that is a file. */
  content: string | null;
  /** Time of last change to give a written file, in seconds; null for now. */
  mtime: number | null;
}

/** Told apart from a conflict that was there before: the tree is half changed, and must be taken back. */
export class InterferenceError extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`${path} was changed by somebody else at the same moment.`);
    this.path = path;
  }
}

/**
 * Makes the changes, in the order in which they are possible: what goes first, innermost first, then folders, then files.
 * Each file is replaced in one step. `strict`: before each one the tree must be as `before` says, else it throws
 * `InterferenceError` at once. Otherwise what is already done is passed over, what is half done is finished, and paths that
 * somebody else changed are left alone and returned.
 */
export async function makeChanges(
  target: string,
  moves: readonly Move[],
  { id, strict }: { id: string; strict: boolean },
): Promise<string[]> {
  const foreign = new Set<string>();
  const temporary = (index: number, path: BytePath) => {
    const folder = parentOf(path);
    return onDisk(target, `${folder === '' ? '' : `${folder}/`}${temporaryName(id)}${index}`);
  };
  const innermostFirst = moves.toSorted((a, b) => depth(b) - depth(a));
  const outermostFirst = moves.toSorted((a, b) => depth(a) - depth(b));

  if (!strict) await removeTemporaries(target, moves, id);
  for (const move of innermostFirst)
    if (makesWay(move)) await proceed(move, (current) => removeOld(target, move, current));
  for (const move of outermostFirst)
    if (move.after?.type === 'folder') await proceed(move, () => makeFolder(target, move));
  for (const [index, move] of outermostFirst.entries()) {
    if (move.after === null || move.after.type === 'folder') continue;
    await proceed(move, () => putInPlace(move, temporary(index, decodeName(move.path))));
  }
  for (const move of innermostFirst) {
    if (move.after?.type === 'folder' && !foreign.has(move.path))
      await chmod(onDisk(target, decodeName(move.path)), move.after.mode);
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

  async function putInPlace({ path, after, content, mtime }: Move, staging: Buffer): Promise<void> {
    const place = onDisk(target, decodeName(path));
    if (after?.type === 'symlink') await symlink(Buffer.from(decodeName(after.target), 'latin1'), staging);
    else if (after?.type === 'file' && content !== null) await stageFile(content, staging, after.mode, mtime);
    await keepOwner(place, staging);
    await rename(staging, place);
  }
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
  const place = onDisk(target, decodeName(path));
  // After a kill it may be gone already, or what comes in its place may be there.
  if (current === null || !makesWay({ path, before: current, after })) return;
  if (current.type !== 'folder') return unlink(place);
  try {
    await rmdir(place);
  } catch (error) {
    // Holds something that is no part of the patch, such as ignored files: then it stays, unless a file must come here.
    if (errnoOf(error) !== 'ENOTEMPTY' && errnoOf(error) !== 'EEXIST') throw error;
    if (after !== null) throw new InterferenceError(path);
  }
}

async function makeFolder(target: string, { path }: Change): Promise<void> {
  try {
    // Writable for now; the mode it is to have is set when it is filled.
    await mkdir(onDisk(target, decodeName(path)), { mode: 0o700 });
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
  await copyFile(content, staging);
  await chmod(staging, mode | 0o200);
  if (mtime !== null) await utimes(staging, mtime, mtime);
  const file = await open(staging, 'r+');
  await file.sync().finally(() => file.close());
  await chmod(staging, mode);
}

/** When root writes into somebody's tree, the file stays theirs. */
async function keepOwner(place: Buffer, staging: Buffer): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { lchown } = await import('node:fs/promises');
  const old = await lstat(place).catch(() => null);
  if (old && (old.uid !== 0 || old.gid !== 0)) await lchown(staging, old.uid, old.gid);
}

async function removeTemporaries(target: string, moves: readonly Change[], id: string): Promise<void> {
  for (const folder of new Set(moves.map(({ path }) => parentOf(decodeName(path))))) {
    const names = await readdir(onDisk(target, folder), 'latin1').catch(() => []);
    for (const name of names) {
      if (!name.startsWith(temporaryName(id))) continue;
      await rm(onDisk(target, folder === '' ? name : `${folder}/${name}`), { force: true });
    }
  }
}
