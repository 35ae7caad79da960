import { copyFile, lstat, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { askGit, runGit, splitNames } from './git.js';
import { errnoOf, WorkspaceError } from './workspace-error.js';

/** A regular file or a link in one state of the folder. */
export interface KeptFile {
  blob: string;
  /** As git has it: 100644, 100755 or 120000. */
  mode: string;
}

export interface FileChange {
  /** Absolute. */
  path: string;
  /** Null: there was no such file. */
  before: KeptFile | null;
  after: KeptFile | null;
}

/** More that no repository has yet is not kept: the first command would have to wait for it. */
const MAX_NEW_FILES = 5_000;
const MAX_NEW_BYTES = 100_000_000;
/** Filters of the user's settings are programs, and theirs alone to run. */
const OWN_SETTINGS = { GIT_CONFIG_GLOBAL: '/dev/null' };
const NO_FILE = '000000';
const REPOSITORY = '160000';

/**
 * States of a folder, in a git directory of our own: nothing in the folder changes. Where it belongs to a repository, that
 * repository's index and objects are what the first state begins with. What `.gitignore` names is not kept.
 */
export class FolderStates {
  readonly #store: string;
  readonly #folder: string;
  /** What names are relative to: the top of the repository, or the folder. */
  #top: string;
  #ready: Promise<void> | undefined;

  /** `store` is made when it is needed; whoever owns it removes it. */
  constructor(store: string, folder: string) {
    this.#store = store;
    this.#folder = folder;
    this.#top = folder;
  }

  /** The name of the present state. Throws `FOLDER_TOO_LARGE`, or what git says. */
  async take(): Promise<string> {
    this.#ready ??= this.#prepare();
    await this.#ready;
    await this.#git('add', '--all', '--', this.#folder);
    return askGit(['write-tree'], this.#options);
  }

  async changes(before: string, after: string): Promise<FileChange[]> {
    if (before === after) return [];
    const output = await this.#git('diff-tree', '-r', '-z', '--no-renames', before, after);
    const words = output.toString().split('\0');
    const changes: FileChange[] = [];
    for (let at = 0; at + 1 < words.length; at += 2) {
      const [was = '', is = '', old = '', now = ''] = (words[at] ?? '').replace(/^:/, '').split(' ');
      if (was === REPOSITORY || is === REPOSITORY) continue;
      const file = (mode: string, blob: string) => (mode === NO_FILE ? null : { blob, mode });
      const path = resolve(this.#top, words[at + 1] ?? '');
      changes.push({ path, before: file(was, old), after: file(is, now) });
    }
    return changes;
  }

  content({ blob }: KeptFile): Promise<Buffer> {
    return this.#git('cat-file', 'blob', blob);
  }

  async #prepare(): Promise<void> {
    await mkdir(this.#store, { recursive: true, mode: 0o700 });
    await this.#git('init', '--quiet');
    await this.#beginWithRepository();
    const list = ['ls-files', '--others', '--exclude-standard', '-z', '--', this.#folder];
    const names = splitNames(await this.#git(...list));
    let bytes = 0;
    if (names.length <= MAX_NEW_FILES) for (const name of names) bytes += await this.#sizeOf(name);
    if (names.length <= MAX_NEW_FILES && bytes <= MAX_NEW_BYTES) return;
    const message = `${this.#folder} holds more than is kept before a command.`;
    throw new WorkspaceError(message, { code: 'FOLDER_TOO_LARGE', origin: this.#folder });
  }

  async #beginWithRepository(): Promise<void> {
    const asked = ['rev-parse', '--show-toplevel', '--git-path', 'index', '--git-path', 'objects'];
    const answer = await askGit(asked, { cwd: this.#folder, env: OWN_SETTINGS }).catch(() => null);
    const [top, index, objects] = answer?.split('\n') ?? [];
    if (!top || !index || !objects) return; // No repository.
    this.#top = top;
    const own = join(this.#store, 'objects', 'info');
    await mkdir(own, { recursive: true });
    await writeFile(join(own, 'alternates'), `${resolve(this.#folder, objects)}\n`);
    await copyFile(resolve(this.#folder, index), join(this.#store, 'index')).catch((error: unknown) => {
      if (errnoOf(error) !== 'ENOENT') throw error;
    });
  }

  async #sizeOf(name: string): Promise<number> {
    const path = Buffer.concat([Buffer.from(`${this.#top}/`), Buffer.from(name, 'latin1')]);
    const found = await lstat(path).catch((error: unknown) => {
      if (errnoOf(error) === 'ENOENT') return null;
      throw error;
    });
    return found?.isFile() ? found.size : 0;
  }

  #git(...args: string[]): Promise<Buffer> {
    return runGit(['-c', 'core.compression=0', '-c', 'advice.addEmbeddedRepo=false', ...args], this.#options);
  }

  get #options() {
    const env = {
      ...OWN_SETTINGS,
      GIT_DIR: this.#store,
      GIT_WORK_TREE: this.#top,
      GIT_INDEX_FILE: join(this.#store, 'index'),
    };
    return { cwd: this.#top, env };
  }
}
