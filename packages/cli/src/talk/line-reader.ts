import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface, type Interface } from 'node:readline';

/** Lines of earlier conversations that the arrow keys bring back. */
const HISTORY_LINES = 500;

export interface LineReaderEvents {
  /** What a person entered: one line, several pasted at once, or several joined by a backslash at their ends. */
  onInput(text: string): void;
  /** Ctrl-C. `line` is what had been typed. */
  onInterrupt(line: string): void;
  /** Ctrl-D, or a terminal that went away. */
  onEnd(): void;
}

/** The keyboard of a conversation. */
export class LineReader {
  readonly #interface: Interface;
  readonly #historyFile: string;
  #lines: string[] = [];
  #flushing = false;

  constructor(historyFile: string, { onInput, onInterrupt, onEnd }: LineReaderEvents) {
    this.#historyFile = historyFile;
    this.#interface = createInterface({
      input: process.stdin,
      output: process.stdout,
      terminal: true,
      history: readHistory(historyFile),
      historySize: HISTORY_LINES,
      removeHistoryDuplicates: true,
    });
    this.#interface.on('line', (line) => {
      this.#lines.push(line);
      if (this.#flushing) return;
      this.#flushing = true;
      // Lines of one paste arrive in one go; what has come by the next turn of the loop belongs together.
      setImmediate(() => {
        this.#flushing = false;
        this.#flush(onInput);
      });
    });
    this.#interface.on('SIGINT', () => {
      this.#lines = [];
      onInterrupt(this.#interface.line);
    });
    this.#interface.on('close', onEnd);
  }

  prompt(text: string): void {
    this.#interface.setPrompt(text);
    this.#interface.prompt();
  }

  /** Forgets what is typed so far. */
  clearLine(): void {
    this.#interface.write(null, { ctrl: true, name: 'e' });
    this.#interface.write(null, { ctrl: true, name: 'u' });
  }

  close(): void {
    this.#interface.close();
  }

  #flush(onInput: (text: string) => void): void {
    if (this.#lines.at(-1)?.endsWith('\\')) {
      this.prompt('… ');
      return;
    }
    const text = this.#lines.map((line) => line.replace(/\\$/, '')).join('\n');
    this.#lines = [];
    this.#remember(text);
    onInput(text);
  }

  #remember(text: string): void {
    const line = text.trim();
    if (line === '' || line.includes('\n')) return;
    try {
      mkdirSync(dirname(this.#historyFile), { recursive: true, mode: 0o700 });
      appendFileSync(this.#historyFile, `${line}\n`, { mode: 0o600 });
    } catch {
      // A history that cannot be kept is no reason to end a conversation.
    }
  }
}

/** Newest first, as the terminal wants it. */
function readHistory(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').filter(Boolean).slice(-HISTORY_LINES).reverse();
  } catch {
    return [];
  }
}
