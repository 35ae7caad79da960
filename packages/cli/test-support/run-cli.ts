import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { folderTrust, hostPaths, trustFolder } from '@amplifier/host';
import { TempWorkspace } from '@amplifier/testkit';
import { vi } from 'vitest';
import { runHere } from './run-here.js';

// Each test starts several real processes; on a busy machine each takes its time, and that is no failure.
vi.setConfig({ testTimeout: 120_000 });

export const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** Variables that would let a test depend on the machine it runs on. */
const FOREIGN =
  /^(AMPLIFIER_|ANTHROPIC_|OPENAI_|GEMINI_|GOOGLE_|AZURE_|OLLAMA_|NO_COLOR|FORCE_COLOR|EDITOR|VISUAL)/;

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
  /** Standard output as JSON. */
  json(): Record<string, unknown> & { session_id: string; status: string; response: string };
}

export interface RunOptions {
  input?: string;
  env?: Record<string, string>;
  /** Told of the process once it runs. */
  onStart?: (child: ChildProcess) => void;
}

/** A folder to work in and a home of its own, for the real program. */
export class CliSandbox implements AsyncDisposable {
  readonly folder: TempWorkspace;
  readonly home: TempWorkspace;

  private constructor(folder: TempWorkspace, home: TempWorkspace) {
    this.folder = folder;
    this.home = home;
  }

  static async create(files: Record<string, string> = {}): Promise<CliSandbox> {
    return new CliSandbox(await TempWorkspace.create(files), await TempWorkspace.create({}));
  }

  get env(): Record<string, string> {
    const own = Object.entries(process.env).filter(([name]) => !FOREIGN.test(name));
    return {
      ...(Object.fromEntries(own) as Record<string, string>),
      AMPLIFIER_HOME: this.home.path,
      AMPLIFIER_LOCAL_SERVERS: '',
      NO_COLOR: '1',
    };
  }

  /** A person trusts the folder with all its files as they are. */
  async trust(): Promise<void> {
    const paths = hostPaths(this.folder.path, { AMPLIFIER_HOME: this.home.path });
    await trustFolder(paths, await folderTrust(paths));
  }

  /** Runs `amplifier ARGS` to its end, in this process unless that is busy with another command. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<CliResult> {
    const { input = '', env = {}, onStart } = options;
    const here = onStart ? null : await runHere(args, this.folder.path, { ...this.env, ...env }, input);
    return here ?? this.start(args, options);
  }

  /** Runs `amplifier ARGS` to its end, as a process of its own. */
  start(args: readonly string[], { input, env = {}, onStart }: RunOptions = {}): Promise<CliResult> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [MAIN, ...args], {
        cwd: this.folder.path,
        env: { ...this.env, ...env },
      });
      let stdout = '';
      let stderr = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      child.stdin.on('error', () => {});
      child.stdin.end(input ?? '');
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, stdout, stderr, json: () => JSON.parse(stdout) }));
      onStart?.(child);
    });
  }

  /** Runs `amplifier ARGS` in a real pseudo-terminal. */
  open(
    args: readonly string[],
    { columns = 80, env = {} }: { columns?: number; env?: Record<string, string> } = {},
  ): Terminal {
    const command = [process.execPath, MAIN, ...args]
      .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
      .join(' ');
    const child = spawn('script', ['-qefc', `stty cols ${columns} rows 30; exec ${command}`, '/dev/null'], {
      cwd: this.folder.path,
      env: { ...this.env, TERM: 'xterm-256color', SHELL: '/bin/sh', ...env },
    });
    return new Terminal(child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.folder[Symbol.asyncDispose]();
    await this.home[Symbol.asyncDispose]();
  }
}

/** A person at a terminal: what they see, what they type. */
export class Terminal {
  readonly #child: ChildProcess;
  #seen = '';
  #read = 0;
  #changed: (() => void)[] = [];
  /** It has ended, and all of its output was read: the exit code is known before that. */
  #isClosed = false;
  readonly ended: Promise<number | null>;

  constructor(child: ChildProcess) {
    this.#child = child;
    const hear = (text: string) => {
      this.#seen += text;
      for (const wake of this.#changed.splice(0)) wake();
    };
    child.stdout?.setEncoding('utf8').on('data', hear);
    child.stderr?.setEncoding('utf8').on('data', hear);
    this.ended = new Promise((resolve) => {
      child.on('close', (code) => {
        this.#isClosed = true;
        resolve(code);
        for (const wake of this.#changed.splice(0)) wake();
      });
    });
  }

  /** Everything that was shown, without the codes that colour it and move the cursor. */
  get text(): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the codes of a terminal
    return this.#seen.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '').replaceAll('\r', '');
  }

  /** As it came, codes included. */
  get raw(): string {
    return this.#seen;
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  /** Resolves when the pattern has been shown after the last one that was waited for. */
  async see(pattern: RegExp | string): Promise<string> {
    for (;;) {
      const rest = this.text.slice(this.#read);
      const found = typeof pattern === 'string' ? rest.indexOf(pattern) : rest.search(pattern);
      if (found !== -1) {
        const [match] = typeof pattern === 'string' ? [pattern] : (pattern.exec(rest) ?? ['']);
        this.#read += found + match.length;
        return match;
      }
      if (this.#isClosed) throw new Error(`It ended without showing ${pattern}. It showed:\n${this.text}`);
      await new Promise<void>((resolve) => {
        this.#changed.push(resolve);
      });
    }
  }
}
