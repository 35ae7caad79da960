import type { Cli } from '../cli.js';
import { writeOut } from '../terminal/screen.js';
import { questionText } from './ask-person.js';
import { LineReader } from './line-reader.js';
import type { OpenQuestion } from './open-questions.js';
import { streamTurn } from './stream-turn.js';
import type { ScreenEvents, TalkScreen, TurnView } from './talk-screen.js';

const PROMPT = '› ';
const QUESTION = '? ';

/** Line by line, and nothing is ever drawn anew: for terminals that cannot, and for people whose screen is read to them. */
export class PlainScreen implements TalkScreen {
  readonly #cli: Cli;
  readonly #reader: LineReader;
  #isAsking = false;

  constructor(cli: Cli, historyFile: string, events: ScreenEvents) {
    this.#cli = cli;
    this.#reader = new LineReader(historyFile, {
      ...events,
      onInput: (text) => (this.#isAsking ? events.onAnswer(text) : events.onInput(text)),
    });
  }

  print(...lines: string[]): void {
    for (const line of lines) writeOut(`${line}\n`);
  }

  prompt(): void {
    this.#reader.prompt(this.#isAsking ? QUESTION : PROMPT);
  }

  readonly inFront = null;

  ask(open: OpenQuestion | null): void {
    this.#isAsking = open !== null;
    if (!open) return;
    this.print(questionText(open.question, this.#cli.color));
    this.prompt();
  }

  expectModel(): void {}

  clearLine(): void {
    this.#reader.clearLine();
  }

  /** An image is mentioned here, as `@image.png`. */
  attached(): never[] {
    return [];
  }

  showTurn(): TurnView {
    return Object.assign(streamTurn(this.#cli, writeOut), { stopping() {} });
  }

  close(): void {
    this.#reader.close();
  }
}
