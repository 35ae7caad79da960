import { createInterface, type Interface } from 'node:readline';
import { HISTORY_LINES, readHistory, remember } from './history.js';
import type { ScreenEvents } from './talk-screen.js';

/** The keyboard of a conversation. */
export class LineReader {
  readonly #interface: Interface;
  readonly #historyFile: string;
  #lines: string[] = [];
  #flushing = false;

  constructor(historyFile: string, { onInput, onInterrupt, onEnd }: ScreenEvents) {
    this.#historyFile = historyFile;
    this.#interface = createInterface({
      input: process.stdin,
      output: process.stdout,
      terminal: true,
      // Newest first, as the terminal wants it; it brings back single lines only.
      history: readHistory(historyFile)
        .filter((entry) => !entry.includes('\n'))
        .reverse(),
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
    remember(this.#historyFile, text);
    onInput(text);
  }
}
