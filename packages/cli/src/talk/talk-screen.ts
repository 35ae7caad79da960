import type { DataAttachment, JsonObject } from '@amplifier/host';
import type { OpenQuestion } from './open-questions.js';

/** What a conversation needs of the terminal it is held in. */
export interface TalkScreen {
  /** Lines that stay. */
  print(...lines: string[]): void;
  /** A person may type something. */
  prompt(): void;
  /** Puts a question to the person; null when none is open any more. */
  ask(open: OpenQuestion | null): void;
  /** Shows which model would answer. */
  expectModel(model: string | null): void;
  /** Forgets what is typed so far. */
  clearLine(): void;
  /** The images that were pasted into what a person entered. */
  attached(text: string): DataAttachment[];
  /** Shows a turn while it runs. What is shown after its end begins on a line of its own. */
  showTurn(): TurnView;
  /** Is the terminal in front, where it tells? */
  readonly inFront: boolean | null;
  close(): void;
}

export interface TurnView {
  onEvent(name: string, data: Readonly<JsonObject>): void;
  /** What the session itself has said since its last step. */
  readonly spoken: string;
  stopping(): void;
  end(): void;
}

export interface ScreenEvents {
  /** What a person entered: one line or several. */
  onInput(text: string): void;
  /** What a person entered while a question is open, as an answer to it. */
  onAnswer(text: string): void;
  /** Ctrl-C, or Esc while a turn runs. `line` is what had been typed. */
  onInterrupt(line: string): void;
  /** Ctrl-D on an empty line, or a terminal that went away. */
  onEnd(): void;
}
