import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { type CliSandbox, MAIN } from './run-cli.js';

const execute = promisify(execFile);

export interface ScreenSize {
  columns?: number;
  rows?: number;
}

/** A person at a real terminal, with a screen that can be read as they see it. */
export class TmuxTerminal implements AsyncDisposable {
  readonly #socket: string;
  readonly #client: ChildProcess;
  #changed: (() => void)[] = [];
  #output = '';
  #isOver = false;

  private constructor(socket: string, client: ChildProcess) {
    this.#socket = socket;
    this.#client = client;
    const wake = () => {
      for (const each of this.#changed.splice(0)) each();
    };
    // The control client tells of every byte that the program writes: nobody has to look again and again.
    client.stdout?.setEncoding('latin1').on('data', (text: string) => {
      this.#output += text;
      wake();
    });
    client.on('close', () => {
      this.#isOver = true;
      wake();
    });
  }

  static async open(
    box: CliSandbox,
    args: readonly string[],
    { columns = 80, rows = 24, env = {} }: ScreenSize & { env?: Record<string, string> } = {},
  ): Promise<TmuxTerminal> {
    const socket = `amplifier-${randomBytes(6).toString('hex')}`;
    const { NO_COLOR: _, ...own } = box.env;
    const command = [process.execPath, MAIN, ...args].map(quoted).join(' ');
    const size = ['-x', String(columns), '-y', String(rows)];
    const start = [
      '-L',
      socket,
      '-f',
      '/dev/null',
      '-C',
      'new-session',
      ...size,
      `${assigned(env)}exec ${command}`,
    ];
    const client = spawn('tmux', start, {
      cwd: box.folder.path,
      env: { ...own, TERM: 'xterm-256color', SHELL: '/bin/sh', LC_ALL: 'C.UTF-8', ...env },
    });
    const terminal = new TmuxTerminal(socket, client);
    terminal.#tell(`refresh-client -C ${columns}x${rows}`);
    return terminal;
  }

  /** Everything that was written, codes included, as tmux escapes it. */
  get output(): string {
    return this.#output;
  }

  async screen({ colors = false, history = false } = {}): Promise<string> {
    const flags = [...(colors ? ['-e'] : []), ...(history ? ['-S', '-10000'] : [])];
    const { stdout } = await execute('tmux', ['-L', this.#socket, 'capture-pane', '-p', ...flags], {
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  }

  /** Types text as it is. */
  async type(text: string): Promise<void> {
    await execute('tmux', ['-L', this.#socket, 'send-keys', '-l', '--', text]);
  }

  /** Presses keys by their names, such as Enter, Escape, C-c. */
  async press(...keys: string[]): Promise<void> {
    await execute('tmux', ['-L', this.#socket, 'send-keys', ...keys]);
  }

  async paste(text: string): Promise<void> {
    const load = spawn('tmux', ['-L', this.#socket, 'load-buffer', '-']);
    load.stdin.end(text);
    await new Promise((resolve) => load.on('close', resolve));
    await execute('tmux', ['-L', this.#socket, 'paste-buffer', '-p']);
  }

  resize({ columns = 80, rows = 24 }: ScreenSize): void {
    this.#tell(`refresh-client -C ${columns}x${rows}`);
  }

  /** Resolves with the screen as soon as it shows the pattern. */
  async see(pattern: RegExp | string, options: { history?: boolean } = {}): Promise<string> {
    for (;;) {
      const changed = new Promise<void>((resolve) => this.#changed.push(resolve));
      const shown = this.#isOver ? '' : await this.screen(options).catch(() => '');
      if (typeof pattern === 'string' ? shown.includes(pattern) : pattern.test(shown)) return shown;
      if (this.#isOver) throw new Error(`It ended without showing ${pattern}.`);
      await changed;
    }
  }

  /** Resolves when the program has ended. */
  async ended(): Promise<void> {
    while (!this.#isOver) await new Promise<void>((resolve) => this.#changed.push(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await execute('tmux', ['-L', this.#socket, 'kill-server']).catch(() => {});
    await this.ended();
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
