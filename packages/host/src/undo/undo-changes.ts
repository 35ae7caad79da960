import { readFile, realpath, rm, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  type Grant,
  openInside,
  pathScope,
  proveFolder,
  READ_ONLY_GRANT,
  resolveInside,
} from '@amplifier/workspace';
import type { HostPaths } from '../host-paths.js';
import { changesFolder, digestOf, type KeptChange, readChanges } from './change-log.js';

/** What undoing the last turn would do to one file. */
export interface UndoStep {
  path: string;
  does: 'restore' | 'remove';
  /** Why it cannot be done; null when it can. */
  hindered: string | null;
}

/** What undoing would do, file by file. Changes nothing. */
export async function planUndo(paths: HostPaths, root_id: string): Promise<UndoStep[]> {
  const changes = await readChanges(changesFolder(paths, root_id));
  const steps = await Promise.all(byFile(changes).map(({ first, last }) => stepFor(first, last)));
  return steps.filter((step) => step !== null);
}

/** Takes the changes back, all of them or none. The caller has looked at the plan. Throws where it is hindered by then. */
export async function undoChanges(paths: HostPaths, root_id: string): Promise<UndoStep[]> {
  const folder = changesFolder(paths, root_id);
  const files = byFile(await readChanges(folder));
  const steps = await planUndo(paths, root_id);
  const hindered = steps.find((step) => step.hindered !== null);
  if (hindered) throw new Error(`${hindered.path} ${hindered.hindered}. Nothing was undone.`);
  const planned = new Set(steps.map(({ path }) => path));
  for (const { first } of files) {
    if (!planned.has(first.path)) continue;
    const content = first.before ? await readFile(join(folder, first.before)) : null;
    await (content ? putBack(first, content, paths) : removeNew(first.path, paths));
  }
  await rm(folder, { recursive: true, force: true });
  return steps;
}

/** Into the file itself where there is one, so that its owner stays; never through a link that leads out of the folder. */
async function putBack({ path, mode }: KeptChange, content: Buffer, { cwd }: HostPaths): Promise<void> {
  const grant = await folderGrant(cwd);
  const file = await openInside(grant, 'write', path, { cwd, parents: true, permissions: mode ?? 0o666 });
  try {
    await file.writeFile(content);
    await file.sync();
    if (mode !== undefined) await file.chmod(mode);
  } finally {
    await file.close();
  }
}

async function removeNew(path: string, { cwd }: HostPaths): Promise<void> {
  const resolved = await resolveInside(await folderGrant(cwd), 'write', path, cwd);
  if (!resolved.allowed) throw new Error(`${resolved.because} ${path} was not removed.`);
  await using folder = await proveFolder(dirname(resolved.path));
  await unlink(join(folder.via, basename(resolved.path)));
}

/** The folder and nothing else: it is the person who undoes, wherever the session's own rights ended. */
async function folderGrant(cwd: string): Promise<Grant> {
  const real = await realpath(cwd);
  return { ...READ_ONLY_GRANT, write: pathScope([real]) };
}

/** What a file was before the turn, and what the turn made of it in the end. */
function byFile(changes: readonly KeptChange[]): { first: KeptChange; last: KeptChange }[] {
  const files = new Map<string, { first: KeptChange; last: KeptChange }>();
  for (const change of changes) {
    const known = files.get(change.path);
    files.set(change.path, { first: known?.first ?? change, last: change });
  }
  return [...files.values()];
}

/** Null for a file that came and went within the turn. */
async function stepFor(first: KeptChange, last: KeptChange): Promise<UndoStep | null> {
  const { path } = first;
  const does = first.before === null ? 'remove' : 'restore';
  if (first.before === undefined) return { path, does, hindered: 'is a link, or was too large to be kept' };
  if (first.before === null && last.after === null) return null;
  const now = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (now === null) return { path, does, hindered: last.after === null ? null : 'is not there any more' };
  return { path, does, hindered: digestOf(now) === last.after ? null : 'was changed since' };
}
