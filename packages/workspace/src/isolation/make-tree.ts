import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { type Clock, isoTime, systemClock, systemLiveness } from '@amplifier/core';
import { COPY_MAX_BYTES } from '../defaults.js';
import { isWithin, type PathScope } from '../grant/path-scope.js';
import { proveFolder } from '../grant/proven-folder.js';
import { realPathOf } from '../grant/real-path.js';
import { saveSnapshot, takeSnapshot } from '../patches/snapshot.js';
import { errnoOf, WorkspaceError } from '../workspace-error.js';
import { removeTree } from './at-place.js';
import { encodeName, onDisk } from './byte-path.js';
import { carryIgnored, copyTree, copyUnlinked } from './copy-tree.js';
import { askGit, runGit } from './git.js';
import { type IsolationKind, type IsolationRecord, isolationPlaces, saveRecord } from './isolation-record.js';
import { listSource, type SourceTree } from './list-source.js';

export interface IsolateOptions {
  /** Where isolated trees, patches and their records are kept. Must outlive this process. */
  home: string;
  /** The folder to isolate. A folder that does not exist yet gives a fresh tree, and its patch creates it. */
  source: string;
  /** The user's own folder, where `source` is its counterpart in an isolated tree. That tree may be gone: then this one is isolated. */
  standsFor?: string | undefined;
  /** Default: a worktree for a git repository that has a commit, else a copy. `fresh` starts empty. */
  kind?: IsolationKind | undefined;
  /** What the tree may be made of: a repository that reaches beyond is not used, and the folder is copied. Default: everything. */
  readable?: PathScope | undefined;
  /** Globs of what git ignores and the work still needs. */
  carry?: readonly string[] | undefined;
  /** The most a copy may hold. */
  maxBytes?: number | undefined;
  clock?: Clock | undefined;
}

/** Makes an isolated tree and its record. Leaves nothing if that fails. */
export async function makeTree(options: IsolateOptions): Promise<IsolationRecord> {
  const { home, clock = systemClock, maxBytes = COPY_MAX_BYTES } = options;
  const source =
    options.kind === 'fresh' ? null : await sourceOrNothing(options.source, home, options.readable);
  if (source === null && options.standsFor !== undefined) {
    const { standsFor, ...rest } = options;
    return makeTree({ ...rest, source: standsFor });
  }
  const kind = source === null ? 'fresh' : (options.kind ?? (source.git?.head ? 'worktree' : 'copy'));
  const usesGit = kind === 'worktree' && source?.git?.head;
  if (kind === 'worktree' && !usesGit) {
    throw new WorkspaceError(
      `${options.source} is not in a git repository with a commit. Isolate it as a copy.`,
      {
        code: 'SOURCE_WITHOUT_COMMIT',
      },
    );
  }
  const record: IsolationRecord = {
    version: 1,
    id: randomUUID(),
    kind,
    source: source?.root ?? (await realPathOf(options.source)),
    stands_for:
      options.standsFor === undefined ? null : await rootOf(options.standsFor, source?.prefix ?? ''),
    prefix: source?.prefix ?? '',
    state: 'making',
    note: null,
    session_id: null,
    owner: systemLiveness.self,
    created_at: isoTime(clock),
    git: usesGit ? { common: source.git?.common ?? '', admin: null, head: usesGit } : null,
    repositories: source?.repositories.map(encodeName) ?? [],
    carried: [],
    port: await freePort(),
    skipped: [],
    denied: [],
  };
  await saveRecord(home, record);
  try {
    const filled = await fillTree(
      home,
      record,
      source,
      kind === 'copy' ? maxBytes : Number.POSITIVE_INFINITY,
    );
    const ready = source ? await withCarried(home, filled, source, options.carry ?? []) : filled;
    await saveRecord(home, ready);
    return ready;
  } catch (error) {
    await removeIsolation(home, record);
    throw error;
  }
}

async function fillTree(
  home: string,
  record: IsolationRecord,
  source: SourceTree | null,
  maxBytes: number,
): Promise<IsolationRecord> {
  const places = isolationPlaces(home, record.id);
  let { git } = record;
  if (git && source?.git) {
    const add = ['worktree', 'add', '--quiet', '--detach', '--no-checkout', places.tree, git.head];
    await runGit(add, { cwd: source.root });
    const admin = await askGit(['rev-parse', '--absolute-git-dir'], { cwd: places.tree });
    git = { ...git, admin };
    await copyIndex(source.git.index, [join(admin, 'index'), places.index]);
  } else {
    await mkdir(places.tree, { mode: 0o700 });
  }
  const skipped = source ? [...source.skipped, ...(await copyTree(source, places.tree, maxBytes))] : [];
  // A missing folder would look like a removed submodule.
  for (const path of source?.repositories ?? []) await mkdir(onDisk(places.tree, path), { recursive: true });
  await mkdir(join(places.tree, record.prefix), { recursive: true });
  const leaveOut = (path: string) => (path === '.git' || source?.repositories.includes(path) ? '' : null);
  await saveSnapshot(places.baseline, await takeSnapshot(places.tree, { leaveOut }));
  const named = skipped.map(({ path, reason }) => ({ path: encodeName(path), reason }));
  return { ...record, state: 'open', git, skipped: named, denied: (source?.denied ?? []).map(encodeName) };
}

/** After the state to compare with is stored: what was carried is no change. */
async function withCarried(
  home: string,
  record: IsolationRecord,
  source: SourceTree,
  names: readonly string[],
): Promise<IsolationRecord> {
  const { carried, skipped, denied } = await carryIgnored(
    source,
    isolationPlaces(home, record.id).tree,
    names,
  );
  const named = skipped.map(({ path, reason }) => ({ path: encodeName(path), reason }));
  return {
    ...record,
    carried: carried.map(encodeName),
    skipped: [...record.skipped, ...named],
    denied: [...record.denied, ...denied],
  };
}

/** One that nobody listens on now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** The root of the tree that a folder lies in, of which the way down to it is known. */
async function rootOf(folder: string, prefix: string): Promise<string> {
  const path = await realPathOf(folder);
  return prefix !== '' && path.endsWith(`/${prefix}`) ? path.slice(0, -prefix.length - 1) : path;
}

async function sourceOrNothing(
  folder: string,
  home: string,
  readable?: PathScope,
): Promise<SourceTree | null> {
  try {
    return await listSource(folder, { home, readable });
  } catch (error) {
    if (errnoOf(error) === 'FOLDER_NOT_FOUND') return null;
    throw error;
  }
}

/** The user's own index: so that inside, `git status` tells staged from unstaged as it does outside. */
async function copyIndex(index: string, targets: readonly string[]): Promise<void> {
  for (const target of targets) {
    await copyUnlinked(index, target).catch((error) => {
      if (errnoOf(error) !== 'ENOENT') throw error;
    });
  }
}

/** Removes tree, record and what git knows of the worktree. May be repeated after it was cut off. */
export async function removeIsolation(home: string, record: IsolationRecord): Promise<void> {
  const places = isolationPlaces(home, record.id);
  await removeTree(places.tree);
  const { git, source } = record;
  if (git?.admin && isWithin(join(git.common, 'worktrees'), git.admin)) {
    await removeAdmin(git.admin);
  } else if (git && source !== null) {
    // Cut off before we knew its place: git finds that the tree is gone. The repository may be gone as well.
    await runGit(['worktree', 'prune'], { cwd: source }).catch(() => {});
  }
  await rm(places.folder, { recursive: true, force: true });
}

/** Below the folder of a session, where a link may have replaced any part of the path: then nothing is removed. */
async function removeAdmin(admin: string): Promise<void> {
  try {
    await using folder = await proveFolder(dirname(admin));
    await removeTree(join(folder.via, basename(admin)));
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'PATH_CHANGED'].includes(errnoOf(error) ?? '')) throw error;
  }
}
