import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { x } from 'tinyexec';

/** A folder that is gone after the test. Use it with `await using`. */
export class TempWorkspace implements AsyncDisposable {
  readonly path: string;

  protected constructor(path: string) {
    this.path = path;
  }

  static async create(files: Record<string, string | Uint8Array> = {}): Promise<TempWorkspace> {
    return new TempWorkspace(await tempFolder()).#with(files);
  }

  /** Where a file of this workspace is. */
  resolve(...parts: string[]): string {
    return join(this.path, ...parts);
  }

  async write(file: string, content: string | Uint8Array): Promise<string> {
    const path = this.resolve(file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    return path;
  }

  read(file: string): Promise<string> {
    return readFile(this.resolve(file), 'utf8');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 3 });
  }

  async #with(files: Record<string, string | Uint8Array>): Promise<this> {
    for (const [file, content] of Object.entries(files)) await this.write(file, content);
    return this;
  }
}

/** A workspace that is a git repository with one commit, independent of the machine's git settings. */
export class TempGitRepo extends TempWorkspace {
  static override async create(
    files: Record<string, string | Uint8Array> = { 'README.md': 'A test repository.\n' },
  ): Promise<TempGitRepo> {
    const repo = new TempGitRepo(await tempFolder());
    for (const [file, content] of Object.entries(files)) await repo.write(file, content);
    const key = JSON.stringify(files);
    const made = MADE.get(key);
    if (made) {
      for (const folder of made.folders) await mkdir(repo.resolve(folder), { recursive: true });
      await Promise.all(made.files.map(([file, content]) => writeFile(repo.resolve(file), content)));
      return repo;
    }
    await repo.git('init', '--quiet', '--template=', '--initial-branch=main');
    await repo.#commitAll('first');
    MADE.set(key, await contentOf(repo.path, repo.resolve('.git')));
    return repo;
  }

  /** Runs git in the repository and returns what it printed. Throws when it fails. */
  async git(...args: string[]): Promise<string> {
    const { stdout } = await x('git', args, {
      throwOnError: true,
      nodeOptions: { cwd: this.path, env: GIT_ENV },
    });
    return stdout.trim();
  }

  /** Commits everything and returns the commit's id. */
  async commit(message: string): Promise<string> {
    await this.#commitAll(message);
    return this.git('rev-parse', 'HEAD');
  }

  async #commitAll(message: string): Promise<void> {
    await this.git('add', '--all');
    const alone = ['-c', 'maintenance.auto=false'];
    await this.git(...alone, 'commit', '--quiet', '--allow-empty', '--message', message);
  }
}

interface Content {
  folders: string[];
  files: [string, Buffer][];
}

/** What git made of the files that a repository began with: the next with the same files needs no git. */
const MADE = new Map<string, Content>();

async function contentOf(root: string, folder: string): Promise<Content> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const places = entries.map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }));
  const named = (path: string) => relative(root, path);
  return {
    folders: places.filter(({ entry }) => entry.isDirectory()).map(({ path }) => named(path)),
    files: await Promise.all(
      places
        .filter(({ entry }) => entry.isFile())
        .map(async ({ path }): Promise<[string, Buffer]> => [named(path), await readFile(path)]),
    ),
  };
}

const GIT_ENV = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.invalid',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.invalid',
};

async function tempFolder(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), 'amplifier-')));
}
