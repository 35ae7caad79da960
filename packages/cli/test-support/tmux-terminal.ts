import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { type CliSandbox, MAIN } from './run-cli.js';

export interface TerminalOptions {
  columns?: number;
  rows?: number;
  env?: Record<string, string>;
}

/** Shorter than the limit of a test, so that the screen is told. */
const GIVE_UP_MS = 90_000;

/** Colours that some light or some dark terminal makes hard to read: black, yellow, blue, white, backgrounds, and what is no one's choice. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the codes of a terminal
export const HARD_TO_READ = /\u001b\[(?:\d+;)*(?:3[0347]|4[0-7]|9\d|10\d|[34]8;)/;

/**
 * A person at a real terminal, with a screen that can be read as they see it. Everything goes through one control client: it tells of
 * every byte that the program writes, and takes the commands. The session goes away with it, so that nothing stays behind when the
 * test process is killed.
 */
export class TmuxTerminal implements AsyncDisposable {
  readonly #name: string;
  readonly #client: ChildProcess;
  #changed: (() => void)[] = [];
  #output = '';
  #line = '';
  /** The lines of the answer that is being read; null between answers. */
  #answer: string[] | null = null;
  readonly #asked: { resolve(answer: string): void; reject(error: Error): void }[] = [];
  #isOver = false;
  #commands = 0;

  private constructor(name: string, client: ChildProcess) {
    this.#name = name;
    this.#client = client;
    client.stdout?.setEncoding('latin1').on('data', (text: string) => this.#hear(text));
    client.stdin?.on('error', () => {}); // It has ended, which `close` tells.
    client.on('close', () => {
      this.#isOver = true;
      for (const { reject } of this.#asked.splice(0)) reject(new Error('The terminal is gone.'));
      this.#wake();
    });
  }

  /** Runs `amplifier ARGS`. */
  static open(box: CliSandbox, args: readonly string[], options?: TerminalOptions): Promise<TmuxTerminal> {
    return TmuxTerminal.#start(box, [process.execPath, MAIN, ...args], options);
  }

  /** A shell that knows `amplifier`. */
  static async shell(box: CliSandbox, options?: TerminalOptions): Promise<TmuxTerminal> {
    const program = `amplifier() { '${process.execPath}' '${MAIN}' "$@"; }`;
    // The prompt tells how many commands were given and how the last one ended.
    await box.home.write('bashrc', `${program}\nPS1='\\#:$? $ '; HISTFILE=; set +H\n`);
    return TmuxTerminal.#start(box, ['bash', '--noprofile', '--rcfile', box.home.resolve('bashrc')], options);
  }

  /** Enters a command at the prompt of a shell, acts while it runs, and gives what it showed and how it ended. */
  async run(command: string, act?: () => Promise<void>): Promise<{ shown: string; code: number }> {
    const number = ++this.#commands;
    await this.see(new RegExp(`^${number}:\\d+ \\$ *$`, 'm'));
    await this.enter(command);
    await act?.();
    await this.see(new RegExp(`^${number + 1}:\\d+ \\$ *$`, 'm'));
    const all = await this.#ask('capture-pane', '-p', '-J', '-S', '-10000', ...this.#target);
    const [, shown = '', code] =
      new RegExp(`^${number}:\\d+ \\$ .*\n([^]*)^${number + 1}:(\\d+) \\$ *$`, 'm').exec(all) ?? [];
    return { shown: shown.replace(/ +$/gm, ''), code: Number(code) };
  }

  static async #start(
    box: CliSandbox,
    command: readonly string[],
    { columns = 80, rows = 24, env = {} }: TerminalOptions = {},
  ): Promise<TmuxTerminal> {
    const name = `t${randomBytes(6).toString('hex')}`;
    const { NO_COLOR: _, ...own } = box.env;
    const given = { AMPLIFIER_HOME: box.home.path, TERM: 'xterm-256color', ...env };
    const words = Object.entries(given).map(([key, value]) => `${key}=${value}`);
    // Each terminal has a server: a shared one ends with its last session, which fails a session that is just being created.
    const start = ['-L', `amplifier-${name}`, '-f', '/dev/null', '-C', 'new-session', '-s', name];
    const place = ['-c', box.folder.path, '-x', String(columns), '-y', String(rows)];
    const client = spawn('tmux', [...start, ...place, 'env', ...words, ...command], {
      cwd: box.folder.path,
      env: { ...own, TERM: 'xterm-256color', SHELL: '/bin/sh', LC_ALL: 'C.UTF-8' },
    });
    const terminal = new TmuxTerminal(name, client);
    await new Promise<string>((resolve, reject) => terminal.#asked.push({ resolve, reject }));
    await Promise.all([
      terminal.#ask('set-option', '-t', name, 'destroy-unattached', 'on'),
      terminal.#ask('refresh-client', '-C', `${columns}x${rows}`),
    ]);
    return terminal;
  }

  /** Everything that was written, codes included, as tmux escapes it. */
  get output(): string {
    return this.#output;
  }

  screen({ colors = false, history = false } = {}): Promise<string> {
    const flags = [...(colors ? ['-e'] : []), ...(history ? ['-S', '-10000'] : [])];
    return this.#ask('capture-pane', '-p', ...flags, ...this.#target);
  }

  /** Types text as it is. */
  async type(text: string): Promise<void> {
    await this.#ask('send-keys', ...this.#target, '-l', '--', text);
  }

  /** Presses keys by their names, such as Enter, Escape, C-c. */
  async press(...keys: string[]): Promise<void> {
    await this.#ask('send-keys', ...this.#target, ...keys);
  }

  async enter(text: string): Promise<void> {
    await this.type(text);
    await this.press('Enter');
  }

  async paste(text: string): Promise<void> {
    await this.#ask('set-buffer', '-b', this.#name, '--', text);
    await this.#ask('paste-buffer', ...this.#target, '-d', '-p', '-b', this.#name);
  }

  async resize({ columns = 80, rows = 24 }: TerminalOptions): Promise<void> {
    await this.#ask('refresh-client', '-C', `${columns}x${rows}`);
  }

  /** Resolves with the screen as soon as it shows the pattern. What hangs is told with the screen it hangs at. */
  async see(pattern: RegExp | string, options: { history?: boolean } = {}): Promise<string> {
    const giveUp = AbortSignal.timeout(GIVE_UP_MS);
    giveUp.addEventListener('abort', () => this.#wake());
    for (let shown = ''; ; ) {
      const changed = new Promise<void>((resolve) => this.#changed.push(resolve));
      if (this.#isOver) throw new Error(`It ended without showing ${pattern}. The last screen:\n${shown}`);
      shown = await this.screen(options).catch(() => shown);
      if (typeof pattern === 'string' ? shown.includes(pattern) : pattern.test(shown)) return shown;
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
    await this.#ask('kill-session', '-t', this.#name).catch(() => {});
    await this.ended();
  }

  get #target(): string[] {
    return ['-t', `${this.#name}:`];
  }

  /** Answers come in the order of the commands. */
  #ask(...words: string[]): Promise<string> {
    if (this.#isOver) return Promise.reject(new Error('The terminal is gone.'));
    return new Promise((resolve, reject) => {
      this.#asked.push({ resolve, reject });
      this.#client.stdin?.write(`${words.map(quoted).join(' ')}\n`);
    });
  }

  #hear(text: string): void {
    const lines = (this.#line + text).split('\n');
    this.#line = lines.pop() ?? '';
    for (const line of lines) this.#hearLine(line);
  }

  /** `%begin …`, the answer, and `%end …` or `%error …`; between answers what the program wrote, as `%output …`. */
  #hearLine(line: string): void {
    const [, written] = /^%output %\d+ (.*)/.exec(line) ?? [];
    if (this.#answer === null && written !== undefined) {
      this.#output += written;
      this.#wake();
    }
    if (this.#answer === null) {
      if (line.startsWith('%begin ')) this.#answer = [];
      return;
    }
    const [, end] = /^%(end|error) \d+ \d+ \d+$/.exec(line) ?? [];
    if (end === undefined) {
      this.#answer.push(line);
      return;
    }
    const answer = Buffer.from(this.#answer.join('\n'), 'latin1').toString();
    this.#answer = null;
    const asked = this.#asked.shift();
    if (end === 'end') asked?.resolve(answer);
    else asked?.reject(new Error(answer));
  }

  #wake(): void {
    for (const each of this.#changed.splice(0)) each();
  }
}

/** A word as tmux reads it from a line. */
function quoted(word: string): string {
  const escaped = word
    .replace(/["\\$~]/g, '\\$&')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not stand in a line
    .replace(/[\0-\x1f\x7f]/g, (found) => `\\${found.charCodeAt(0).toString(8).padStart(3, '0')}`);
  return `"${escaped}"`;
}
