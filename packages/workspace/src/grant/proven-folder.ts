import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from 'node:fs/promises';
import { dirname, join, parse, relative, sep } from 'node:path';
import { errnoOf, WorkspaceError } from '../workspace-error.js';
import type { Looked } from './real-path.js';

const { O_NOFOLLOW, O_DIRECTORY } = constants;
/** Linux only, and absent from node's constants: a handle that names a folder without the right to list it. */
const O_PATH = 0o10000000;

/** An open folder whose real path was `path` when it was opened. The caller closes it. */
export interface ProvenFolder extends AsyncDisposable {
  path: string;
  /** Reaches the folder by its handle: no rename and no link leads it elsewhere. Without /proc this is `path`. */
  via: string;
}

/**
 * Opens a folder by its real path. `create` makes missing folders, each inside the proven one above it. Throws `PATH_CHANGED` if the
 * path leads through a link or elsewhere, or the system's own error (`ENOENT`, `ENOTDIR`).
 */
export async function proveFolder(path: string, create = false): Promise<ProvenFolder> {
  if (process.platform !== 'linux') {
    if (create) await mkdir(path, { recursive: true });
    if ((await realpath(path)) !== path) throw pathChanged(path);
    return { path, via: path, async [Symbol.asyncDispose]() {} };
  }
  const existing = create ? await deepestExisting(path) : path;
  let folder = await openProven(existing, existing);
  for (const part of relative(existing, path).split(sep).filter(Boolean)) {
    await using parent = folder;
    await makeFolder(join(parent.via, part));
    folder = await openProven(join(parent.via, part), join(parent.path, part));
  }
  return folder;
}

/** For `realPathOf`: the folder and all above it are no links, whatever has their names by now. */
export function provenLooks(path: string): Looked {
  const looked: Looked = new Map();
  for (let place = path; place !== parse(path).root; place = dirname(place)) looked.set(place, null);
  return looked;
}

async function openProven(way: string, path: string): Promise<ProvenFolder> {
  const handle: FileHandle = await open(way, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  const via = `/proc/self/fd/${handle.fd}`;
  if ((await readlink(via)) === path) return { path, via, [Symbol.asyncDispose]: () => handle.close() };
  await handle.close();
  throw pathChanged(path);
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

async function deepestExisting(path: string): Promise<string> {
  for (let place = path; ; place = dirname(place)) {
    try {
      await lstat(place);
      return place;
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' || place === dirname(place)) throw error;
    }
  }
}

export function pathChanged(path: string): WorkspaceError {
  return new WorkspaceError(
    `${path} was replaced while it was being opened, so it was left alone. Try again.`,
    { code: 'PATH_CHANGED', origin: path, retryable: true },
  );
}
