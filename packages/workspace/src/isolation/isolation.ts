import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import {
  exceptFromDenied,
  intersectScopes,
  isWithin,
  type PathScope,
  scopeInCopy,
  widenScope,
} from '../grant/path-scope.js';
import { makePatch, type Patch, type PatchOptions } from '../patches/make-patch.js';
import type { Overlay } from '../sandbox/overlay.js';
import {
  type IsolationKind,
  type IsolationRecord,
  isolationPlaces,
  loadRecord,
  saveRecord,
} from './isolation-record.js';
import { type IsolateOptions, makeTree, removeIsolation } from './make-tree.js';

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
    const { folder } = isolationPlaces(this.#home, this.id);
    return this.#inCopy(exceptFromDenied(widenScope(scope, [this.tree]), [folder]));
  }

  /** What a session that works here may write if it may write this in the user's tree. Elsewhere only if it may write everywhere. */
  writable(scope: PathScope): PathScope {
    const allow = scope.allow.includes('/') ? scope.allow : [this.tree, ...this.gitWritable];
    return this.#inCopy(exceptFromDenied({ ...scope, allow }, [this.tree]));
  }

  /** What is denied in the user's tree is denied in this one. */
  #inCopy(scope: PathScope): PathScope {
    const { stands_for, source } = this.record;
    const roots = [stands_for, source].filter((root) => root !== null);
    return roots.map((root) => scopeInCopy(scope, root, this.tree)).reduce(intersectScopes, scope);
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
