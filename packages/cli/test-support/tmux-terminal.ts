import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { type CliSandbox, MAIN } from './run-cli.js';

const execute = promisify(execFile);

export interface ScreenSize {
  columns?: number;
  rows?: number;
}

/** One server for all terminals of a test process. It has no other sessions, so it ends with the last of them. */
const SOCKET = `amplifier-${process.pid}-${randomBytes(4).toString('hex')}`;

/** Shorter than the limit of a test, so that the screen is told. */
const GIVE_UP_MS = 90_000;

/**
 * A person at a real terminal, with a screen that can be read as they see it. The session goes away with the client that made it,
 * so that nothing stays behind when the test process is killed.
 */
export class TmuxTerminal implements AsyncDisposable {
  readonly #name: string;
  readonly #client: ChildProcess;
  #changed: (() => void)[] = [];
  #output = '';
  #isOver = false;

  private constructor(name: string, client: ChildProcess) {
    this.#name = name;
    this.#client = client;
    // The control client tells of every byte that the program writes: nobody has to look again and again.
    client.stdout?.setEncoding('latin1').on('data', (text: string) => {
      this.#output += text;
      this.#wake();
    });
    client.on('close', () => {
      this.#isOver = true;
      this.#wake();
    });
  }

  static async open(
    box: CliSandbox,
    args: readonly string[],
    { columns = 80, rows = 24, env = {} }: ScreenSize & { env?: Record<string, string> } = {},
  ): Promise<TmuxTerminal> {
    const name = `t${randomBytes(6).toString('hex')}`;
    const { NO_COLOR: _, ...own } = box.env;
    const command = [process.execPath, MAIN, ...args].map(quoted).join(' ');
    const size = ['-x', String(columns), '-y', String(rows)];
    // The server keeps the variables of the first session; each gets its own here.
    const given = { AMPLIFIER_HOME: own.AMPLIFIER_HOME ?? '', TERM: 'xterm-256color', ...env };
    const start = [
      '-L',
      SOCKET,
      '-f',
      '/dev/null',
      '-C',
      'new-session',
      '-s',
      name,
      '-c',
      box.folder.path,
      ...size,
    ];
    const client = spawn('tmux', [...start, `${assigned(given)}exec ${command}`], {
      cwd: box.folder.path,
      env: { ...own, TERM: 'xterm-256color', SHELL: '/bin/sh', LC_ALL: 'C.UTF-8' },
    });
    const terminal = new TmuxTerminal(name, client);
    terminal.#tell(`set-option -t ${name} destroy-unattached on`);
    terminal.#tell(`refresh-client -C ${columns}x${rows}`);
    return terminal;
  }

  /** Everything that was written, codes included, as tmux escapes it. */
  get output(): string {
    return this.#output;
  }

  async screen({ colors = false, history = false } = {}): Promise<string> {
    const flags = [...(colors ? ['-e'] : []), ...(history ? ['-S', '-10000'] : [])];
    return this.#ask('capture-pane', '-p', ...flags);
  }

  /** Types text as it is. */
  async type(text: string): Promise<void> {
    await this.#ask('send-keys', '-l', '--', text);
  }

  /** Presses keys by their names, such as Enter, Escape, C-c. */
  async press(...keys: string[]): Promise<void> {
    await this.#ask('send-keys', ...keys);
  }

  async paste(text: string): Promise<void> {
    const load = spawn('tmux', ['-L', SOCKET, 'load-buffer', '-b', this.#name, '-']);
    load.stdin.end(text);
    await new Promise((resolve) => load.on('close', resolve));
    await this.#ask('paste-buffer', '-d', '-p', '-b', this.#name);
  }

  resize({ columns = 80, rows = 24 }: ScreenSize): void {
    this.#tell(`refresh-client -C ${columns}x${rows}`);
  }

  /** Resolves with the screen as soon as it shows the pattern. What hangs is told with the screen it hangs at. */
  async see(pattern: RegExp | string, options: { history?: boolean } = {}): Promise<string> {
    const giveUp = AbortSignal.timeout(GIVE_UP_MS);
    giveUp.addEventListener('abort', () => this.#wake());
    for (;;) {
      const changed = new Promise<void>((resolve) => this.#changed.push(resolve));
      const shown = this.#isOver ? '' : await this.screen(options).catch(() => '');
      if (typeof pattern === 'string' ? shown.includes(pattern) : pattern.test(shown)) return shown;
      if (this.#isOver) throw new Error(`It ended without showing ${pattern}.`);
      if (giveUp.aborted) throw new Error(`It never showed ${pattern}. The screen:\n${shown.trimEnd()}`);
      await changed;
    }
  }

  /** Resolves when the program has written the text, as tmux escapes it. */
  async wrote(text: string): Promise<void> {
    while (!this.#output.includes(text)) {
      if (this.#isOver) throw new Error(`It ended without writing ${text}.`);
      await new Promise<void>((resolve) => this.#changed.push(resolve));
    }
  }

  /** Resolves when the program has ended. */
  async ended(): Promise<void> {
    while (!this.#isOver) await new Promise<void>((resolve) => this.#changed.push(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await execute('tmux', ['-L', SOCKET, 'kill-session', '-t', this.#name]).catch(() => {});
    await this.ended();
  }

  async #ask(command: string, ...words: string[]): Promise<string> {
    const target = ['-L', SOCKET, command, '-t', `${this.#name}:`, ...words];
    const { stdout } = await execute('tmux', target, { maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  }

  #wake(): void {
    for (const each of this.#changed.splice(0)) each();
  }

  #tell(command: string): void {
    this.#client.stdin?.write(`${command}\n`);
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function assigned(env: Record<string, string>): string {
  const pairs = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`);
  return pairs.length === 0 ? '' : `export ${pairs.join(' ')}; `;
}
