import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { BytePath } from './byte-path.js';
import { runGit, splitNames } from './git.js';

export interface OwnGitOptions {
  /** An existing folder, in which the git directory is made. */
  store: string;
  /** The top of the work tree. */
  root: string;
  index: string;
  /** The objects of the repository; absent where there is none. */
  objects?: string | undefined;
  /** The name of any object, which tells the repository's hash. */
  blob?: string | undefined;
}

/**
 * Git with a git directory of our own: no setting of the repository or the user applies, so that no filter runs when git compares
 * or converts contents.
 */
export class OwnGit {
  readonly #options: OwnGitOptions;

  constructor(options: OwnGitOptions) {
    this.#options = options;
  }

  async run(args: readonly string[], input?: Buffer): Promise<Buffer> {
    const { root, index, objects } = this.#options;
    const env = { ...NO_SETTINGS, GIT_WORK_TREE: root, GIT_INDEX_FILE: index, GIT_OBJECT_DIRECTORY: objects };
    return runGit([`--git-dir=${await this.gitDir()}`, ...args], { cwd: root, env, input });
  }

  async gitDir(): Promise<string> {
    const { store, blob = '' } = this.#options;
    const folder = join(store, 'git');
    const format = `--object-format=${blob.length === 64 ? 'sha256' : 'sha1'}`;
    const args = ['init', '--quiet', '--bare', '--template=', format, folder];
    if (!existsSync(join(folder, 'HEAD'))) await runGit(args, { cwd: store, env: NO_SETTINGS });
    return folder;
  }

  /** The files below `prefix` that are not as the index has them. */
  async changed(prefix: string): Promise<Set<BytePath>> {
    const args = ['--literal-pathspecs', 'diff-files', '--name-only', '-z', '--', prefix || '.'];
    return new Set(splitNames(await this.run(args)));
  }

  /** Updates the index, but stores no object. The paths must be those of files or links. */
  async add(paths: readonly BytePath[]): Promise<void> {
    if (paths.length === 0) return;
    const args = ['update-index', '--add', '--remove', '--replace', '--info-only', '-z', '--stdin'];
    await this.run(args, Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1'));
  }
}

const NO_SETTINGS = { GIT_CONFIG_GLOBAL: '/dev/null' };
