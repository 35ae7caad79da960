import { type DelegationTree, foldEvent, type JsonObject } from '@amplifier/host';
import type { Cli } from '../cli.js';
import { nodeLine, SHOWN_EVENTS } from '../terminal/draw-tree.js';
import { deltaText } from '../terminal/live-view.js';
import { writeOut } from '../terminal/screen.js';
import { questionText } from './ask-person.js';
import { LineReader } from './line-reader.js';
import type { OpenQuestion } from './open-questions.js';
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

interface TurnStream {
  onEvent(name: string, data: Readonly<JsonObject>): void;
  readonly tree: DelegationTree;
  /** What the session itself has said since its last step. */
  readonly spoken: string;
  /** Ends the line that was begun. */
  end(): void;
}

/** Writes a turn as it happens: the session's own words as they come, what its agents do as single lines. */
function streamTurn(cli: Cli, write: (text: string) => void): TurnStream {
  const tree: DelegationTree = new Map();
  let spoken = '';
  let midLine = false;
  return {
    get tree() {
      return tree;
    },
    get spoken() {
      return spoken;
    },
    onEvent(name, data) {
      foldEvent(tree, { name, data, time: new Date().toISOString() });
      const { depth } = (data.lineage ?? {}) as { depth?: number };
      if (depth === 0 && name === 'provider:request') spoken = '';
      if (depth === 0 && name === 'content_block:delta') say(deltaText(data));
      if (SHOWN_EVENTS.has(name)) tell(String(data.sub_session_id ?? data.session_id));
    },
    end() {
      if (midLine) write('\n');
      midLine = false;
    },
  };

  function say(text: string): void {
    if (text === '') return;
    spoken += text;
    write(text);
    midLine = !text.endsWith('\n');
  }

  function tell(session_id: string): void {
    const node = tree.get(session_id);
    if (!node) return;
    write(`${midLine ? '\n' : ''}${cli.color.dim(`  ${nodeLine(node)}`)}\n`);
    midLine = false;
  }
}
