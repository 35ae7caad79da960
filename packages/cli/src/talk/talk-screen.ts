import type { JsonObject } from '@amplifier/host';
import type { OpenQuestion } from './open-questions.js';

/** What a conversation needs of the terminal it is held in. */
export interface TalkScreen {
  /** Lines that stay. */
  print(...lines: string[]): void;
  /** A person may type something. */
  prompt(): void;
  /** Puts a question to the person; null when none is open any more. */
  ask(open: OpenQuestion | null): void;
  /** Forgets what is typed so far. */
  clearLine(): void;
  /** Shows a turn while it runs. */
  showTurn(): TurnView;
  /** Is the terminal in front, where it tells? */
  readonly inFront: boolean | null;
  /** Writes something that shows nothing, such as a bell. */
  signal(sequence: string): void;
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
  /** Ctrl-C, or Esc while a turn runs. `line` is what had been typed. */
  onInterrupt(line: string): void;
  /** Ctrl-D on an empty line, or a terminal that went away. */
  onEnd(): void;
}
