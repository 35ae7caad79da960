import { spawn } from 'node:child_process';
import { chmod, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { FakeModelServer, TempGitRepo, TempWorkspace } from '@amplifier/testkit';
import { type Block, ROOT } from './read-blocks.js';

/** What other tests run as it is written, because it takes the whole repository: tests/scripts, this run, packages/cli/src/install. */
const ELSEWHERE = /^npm (start|test|install --global)\b/;
/** How the pages name a session of the reader's own. */
const SESSION = '01M7H5Z6MV';

/**
 * Somebody who follows a page from its beginning: with a repository, an empty home, no settings, a model server at the address
 * that the pages name, and the programs. The files that a page shows are written before its commands are run.
 */
export class Reader implements AsyncDisposable {
  readonly folder: TempGitRepo;
  readonly home: TempWorkspace;
  readonly model: FakeModelServer;
  readonly #port: number;

  private constructor(folder: TempGitRepo, home: TempWorkspace, model: FakeModelServer, port: number) {
    this.folder = folder;
    this.home = home;
    this.model = model;
    this.#port = port;
  }

  static async begin(blocks: readonly Block[]): Promise<Reader> {
    const home = await TempWorkspace.create({
      // An answer that refuses is a failure.
      'user/.curlrc': 'fail-with-body\n',
      'bin/amplifier': program('packages/cli/dist/main.js'),
      'bin/amplifierd': program('packages/cli/dist/amplifierd.js'),
      // Somebody else's: prints a member of a JSON text.
      'bin/jq': `#!/bin/sh\nexec "${process.execPath}" -p 'JSON.parse(fs.readFileSync(0))'"$1"\n`,
    });
    for (const name of ['amplifier', 'amplifierd', 'jq']) await chmod(home.resolve('bin', name), 0o755);
    await symlink(ROOT, home.resolve('user/amplifier'));
    const folder = await TempGitRepo.create({ 'README.md': 'A repository of ours.\n' });
    for (const { file, text } of blocks) if (file !== null) await folder.write(file, text);
    return new Reader(folder, home, await FakeModelServer.start(), await freePort());
  }

  /** Runs the lines of a block in a shell that stops at the first that fails. */
  async run({ text: lines }: Block): Promise<{ code: number | null; output: string }> {
    const commands = lines
      .replaceAll('http://127.0.0.1:8000', this.model.url)
      .replaceAll('127.0.0.1:8420', `127.0.0.1:${this.#port}`)
      .replaceAll(SESSION, '$(newest)')
      .split('\n')
      .filter((line) => !ELSEWHERE.test(line))
      .flatMap((line) => (/^amplifierd? serve.*&/.test(line) ? [line, 'until-it-listens'] : [line]));
    return this.#shell(`${PRELUDE}\n${commands.join('\n')}\n`);
  }

  /** Runs a program of a page, where the packages can be found. */
  async runScript(
    name: string,
    args: readonly string[] = [],
  ): Promise<{ code: number | null; output: string }> {
    await symlink(`${ROOT}/node_modules`, this.folder.resolve('node_modules')).catch(() => {});
    return this.#shell(`"${process.execPath}" ${args.join(' ')} ${name}`);
  }

  async #shell(script: string): Promise<{ code: number | null; output: string }> {
    const child = spawn('bash', ['-c', `exec 2>&1\n${script}`], {
      cwd: this.folder.path,
      env: {
        PATH: `${this.home.resolve('bin')}:${process.env.PATH}`,
        HOME: this.home.resolve('user'),
        TMPDIR: process.env.TMPDIR,
        AMPLIFIERD_PORT: String(this.#port),
        AMPLIFIER_LOCAL_SERVERS: '',
        NO_COLOR: '1',
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const output = await text(child.stdout);
    return { code: await ended, output };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.model[Symbol.asyncDispose]();
    await this.folder[Symbol.asyncDispose]();
    await this.home[Symbol.asyncDispose]();
  }
}

/** Stops at the first failure; what runs in the background is stopped at the end. */
const PRELUDE = `
set -euo pipefail
trap 'for job in $(jobs -p); do kill $job; done; wait' EXIT
newest() { amplifier session list --json | grep -oE 'session_[0-9A-Z]{26}' | head -n 1; }
until-it-listens() { until curl -s -o /dev/null "http://127.0.0.1:$AMPLIFIERD_PORT/healthz"; do jobs %% > /dev/null; sleep 0.1; done; }
`;

function program(path: string): string {
  return `#!/bin/sh\nexec "${process.execPath}" "${ROOT}/${path}" "$@"\n`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
