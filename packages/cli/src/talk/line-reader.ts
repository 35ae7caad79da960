import { createInterface, type Interface } from 'node:readline';
import { HISTORY_LINES, readHistory, remember } from './history.js';
import type { ScreenEvents } from './talk-screen.js';

type KeyboardEvents = Omit<ScreenEvents, 'onAnswer'>;

/** The keyboard of a conversation. */
export class LineReader {
  #interface: Interface;
  readonly #historyFile: string;
  readonly #events: KeyboardEvents;
  #isOpen = true;
  #lines: string[] = [];
  #flushing = false;

  constructor(historyFile: string, events: KeyboardEvents) {
    this.#historyFile = historyFile;
    this.#events = events;
    this.#interface = this.#open();
  }

  #open(): Interface {
    const { onInput, onInterrupt, onEnd } = this.#events;
    const reader = createInterface({
      input: process.stdin,
      output: process.stdout,
      terminal: true,
      // Newest first, as the terminal wants it; it brings back single lines only.
      history: readHistory(this.#historyFile)
        .filter((entry) => !entry.includes('\n'))
        .reverse(),
      historySize: HISTORY_LINES,
      removeHistoryDuplicates: true,
    });
    reader.on('line', (line) => {
      this.#lines.push(line);
      if (this.#flushing) return;
      this.#flushing = true;
      // Lines of one paste arrive in one go; what has come by the next turn of the loop belongs together.
      setImmediate(() => {
        this.#flushing = false;
        this.#flush(onInput);
      });
    });
    reader.on('SIGINT', () => {
      this.#lines = [];
      onInterrupt(reader.line);
    });
    // Ctrl-D closes it. Whoever asks for another line after that gets one.
    reader.on('close', () => {
      this.#isOpen = false;
      onEnd();
    });
    this.#isOpen = true;
    return reader;
  }

  prompt(text: string): void {
    if (!this.#isOpen) this.#interface = this.#open();
    this.#interface.setPrompt(text);
    this.#interface.prompt();
  }

  /** Forgets what is typed so far. */
  clearLine(): void {
    if (!this.#isOpen) return;
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
