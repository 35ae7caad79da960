import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join, relative, resolve } from 'node:path';
import { type Clock, isoTime, systemClock } from '@amplifier/core';
import { encodeName, onDisk } from './byte-path.js';
import { carryIgnored } from './carry-ignored.js';
import { copyTree, copyUnlinked } from './copy-tree.js';
import { COPY_MAX_BYTES } from './defaults.js';
import { askGit, runGit } from './git.js';
import {
  type IsolationKind,
  type IsolationRecord,
  isolationPlaces,
  loadRecord,
  saveBaseline,
  saveRecord,
} from './isolation-record.js';
import { listSource, type SourceTree } from './list-source.js';
import { makePatch, type Patch, type PatchOptions } from './make-patch.js';
import type { Overlay } from './overlay.js';
import { intersectScopes, isWithin, type PathScope, scopeInCopy, widenScope } from './path-scope.js';
import { ownIdentity } from './process-identity.js';
import { removeTree } from './remove-tree.js';
import { scanTree } from './scan-tree.js';
import { errnoOf, WorkspaceError } from './workspace-error.js';

export interface IsolateOptions {
  /** Where isolated trees, patches and their records are kept. Must outlive this process. */
  home: string;
  /** The folder to isolate. A folder that does not exist yet gives a fresh tree, and its patch creates it. */
  source: string;
  /** The user's own folder, where `source` is its counterpart in an isolated tree. That tree may be gone: then this one is isolated. */
  standsFor?: string;
  /** Default: a worktree for a git repository that has a commit, else a copy. `fresh` starts empty. */
  kind?: IsolationKind;
  /** What the tree may be made of: a repository that reaches beyond is not used, and the folder is copied. Default: everything. */
  readable?: PathScope;
  /** Globs of what git ignores and the work still needs. */
  carry?: readonly string[];
  /** The most a copy may hold. */
  maxBytes?: number;
  clock?: Clock;
}

declare module '@amplifier/core' {
  interface Capabilities {
    /** The tree that the session works in instead of the user's own. Absent: it works where the user does. */
    'session.isolation': Isolation;
  }
}

/** A tree that an agent may change without touching the user's. Ends with `dispose` or `keep`; a crash counts as `keep`. */
export class Isolation {
  readonly id: string;
  readonly kind: IsolationKind;
  /** Where the agent works: the counterpart of the folder that was asked for. */
  readonly path: string;
  /** The root of the isolated tree. */
  readonly tree: string;
  /** What else a confined command must be able to write before it can commit. It could damage the repository's objects there. */
  readonly gitWritable: readonly string[];
  /** What a confined command must be able to see before git works inside (`visible` of `startProcess`). */
  readonly gitVisible: readonly string[];
  /** What the command that sets up new trees printed. */
  readonly setupLog: string;
  /** Variables for the commands that run in it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly record: IsolationRecord;
  readonly #home: string;

  private constructor(home: string, record: IsolationRecord) {
    this.#home = home;
    this.record = record;
    this.id = record.id;
    this.kind = record.kind;
    const { tree, setupLog } = isolationPlaces(home, record.id);
    this.tree = tree;
    this.setupLog = setupLog;
    this.environment = record.port === null ? {} : { PORT: String(record.port) };
    this.path = join(this.tree, record.prefix);
    this.gitVisible = record.git ? [record.git.common] : [];
    this.gitWritable = record.git?.admin ? [join(record.git.common, 'objects'), record.git.admin] : [];
  }

  static async create(options: IsolateOptions): Promise<Isolation> {
    const home = await realHome(options.home);
    const record = await makeTree({ ...options, home });
    return new Isolation(home, record);
  }

  /** Opens one that was kept, or whose owner died. */
  static async open(home: string, id: string): Promise<Isolation> {
    const place = await realHome(home);
    return new Isolation(place, await loadRecord(place, id));
  }

  /** What was changed since the tree was made, whether committed inside or not. May be asked at any time, and again. */
  patch(options?: PatchOptions): Promise<Patch> {
    return makePatch(this.#home, this.record, options);
  }

  /**
   * Makes this tree what the user's own is now, so that `patch` tells what has changed there since. For whoever lets an agent work
   * in the user's tree and keeps this one to compare it with. `readable` is what the tree was made with.
   */
  async follow(readable?: PathScope): Promise<void> {
    const { source, git } = this.record;
    for (const name of await readdir(this.tree))
      if (!(git && name === '.git')) await removeTree(join(this.tree, name));
    const now = source === null ? null : await sourceOrNothing(source, this.#home, readable);
    if (!now) return;
    await copyTree(now, this.tree, Number.POSITIVE_INFINITY);
    for (const path of now.repositories) await mkdir(onDisk(this.tree, path), { recursive: true });
  }

  /** Where a path leads for whoever works here: what is named in the user's tree is meant in this one. */
  counterpart(path: string): string {
    if (isWithin(this.tree, path)) return path;
    const { stands_for, source } = this.record;
    const root = [stands_for, source].find((place) => place !== null && isWithin(place, path));
    return root ? join(this.tree, relative(root, path)) : path;
  }

  /** The places in the user's tree that a path in this one is the counterpart of. */
  originals(path: string): string[] {
    const { stands_for, source } = this.record;
    if (!isWithin(this.tree, path)) return [];
    return [stands_for, source].flatMap((root) =>
      root === null ? [] : [join(root, relative(this.tree, path))],
    );
  }

  /** What a session that works here may read: this tree too, and in it nothing that it may not read in the user's. */
  readable(scope: PathScope): PathScope {
    const { stands_for, source } = this.record;
    const roots = [stands_for, source].filter((root) => root !== null);
    const copies = roots.map((root) => widenScope(scopeInCopy(scope, root, this.tree), [this.tree]));
    return copies.reduce(intersectScopes, widenScope(scope, [this.tree]));
  }

  /**
   * What lets a confined command see this tree where the user's own lies, so that a path that names a place there leads here.
   * Empty where there is no such folder yet. Git's own folder is moved aside: it would be covered.
   */
  async overlays(): Promise<Overlay[]> {
    const { source, stands_for, git, id } = this.record;
    if (source === null || this.kind === 'fresh') return [];
    // A tree inside the folder that it was made from would be covered; its commands see both.
    const named = stands_for === null ? [source] : [stands_for, source];
    const places = named.filter((place) => !isWithin(place, this.tree));
    const trees = places.map((at) => ({ from: this.tree, at }));
    const admin = git?.admin ?? null;
    if (!git || admin === null || !places.some((place) => isWithin(place, git.common))) return trees;
    const { gitFolder, gitFile } = isolationPlaces(this.#home, id);
    await mkdir(gitFolder, { recursive: true, mode: 0o700 });
    await writeFile(gitFile, `gitdir: ${join(gitFolder, relative(git.common, admin))}\n`, { mode: 0o600 });
    return [...trees, { from: git.common, at: gitFolder }, { from: gitFile, at: join(this.tree, '.git') }];
  }

  /** Leaves the tree where it is for a person to look at, with the reason. */
  async keep(note: string, session_id: string | null = null): Promise<void> {
    await saveRecord(this.#home, { ...this.record, state: 'kept', note, session_id });
  }

  /** Removes the tree with everything in it. */
  async dispose(): Promise<void> {
    await removeIsolation(this.#home, this.record);
  }
}

async function realHome(home: string): Promise<string> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  return realpath(home);
}

async function makeTree(options: IsolateOptions): Promise<IsolationRecord> {
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
    source: source?.root ?? resolve(options.source),
    stands_for:
      options.standsFor === undefined ? null : await rootOf(options.standsFor, source?.prefix ?? ''),
    prefix: source?.prefix ?? '',
    state: 'making',
    note: null,
    session_id: null,
    owner: ownIdentity(),
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
  const { entries } = await scanTree(places.tree, { leaveOut });
  await saveBaseline(home, record.id, entries);
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
  const path = await realpath(folder).catch(() => resolve(folder));
  return prefix !== '' && path.endsWith(`/${prefix}`) ? path.slice(0, -prefix.length - 1) : path;
}

async function sourceOrNothing(
  folder: string,
  home: string,
  readable?: PathScope,
): Promise<SourceTree | null> {
  try {
    return await listSource(folder, { home, ...(readable ? { readable } : {}) });
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
    await rm(git.admin, { recursive: true, force: true });
  } else if (git && source !== null) {
    // Cut off before we knew its place: git finds that the tree is gone. The repository may be gone as well.
    await runGit(['worktree', 'prune'], { cwd: source }).catch(() => {});
  }
  await rm(places.folder, { recursive: true, force: true });
}
