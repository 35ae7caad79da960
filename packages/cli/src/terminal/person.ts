import { createInterface, type Interface } from 'node:readline';
import { errorInfo, type Host, type HostOptions, type Question, type SafetyMode } from '@amplifier/host';
import type { Cli } from '../cli.js';
import { questionText, readAnswer } from '../talk/ask-person.js';
import type { Watcher } from './live-view.js';
import { writeError } from './screen.js';

/**
 * The person who watches a turn, for the questions its agents ask. Where nobody is there nothing is asked: the session then does
 * what its safety mode allows.
 */
export class Person {
  readonly #cli: Cli;
  readonly #approves: boolean;
  readonly #questions: Question[] = [];
  #attending: { host: Host; watcher: Watcher } | null = null;
  #keyboard: Interface | null = null;

  /** A person who said `yolo` wants no questions about what tools do. */
  constructor(cli: Cli, safety_mode: SafetyMode) {
    this.#cli = cli;
    this.#approves = safety_mode !== 'yolo';
  }

  /** What a host needs to reach the person. */
  get hostOptions(): Pick<HostOptions, 'hooks' | 'onQuestion'> {
    if (!this.#cli.interactive) return {};
    return {
      hooks: this.#approves ? [{ module: 'hooks-approval' }] : [],
      onQuestion: (question) => {
        this.#questions.push(question);
        void this.#ask();
      },
    };
  }

  /** The turn begins. Whatever moves on the screen holds still while a question is open. */
  attend(host: Host, watcher: Watcher): void {
    this.#attending = { host, watcher };
    void this.#ask();
  }

  /** The turn is over; what is still open need not be answered. */
  leave(): void {
    this.#attending = null;
    this.#questions.length = 0;
    this.#keyboard?.close();
  }

  async #ask(): Promise<void> {
    const [question] = this.#questions;
    if (!question || !this.#attending || this.#keyboard) return;
    const { host, watcher } = this.#attending;
    watcher.pause();
    writeError(`${questionText(question, this.#cli.color)}\n`);
    const answer = await this.#answerTo(question);
    if (answer === null) return;
    this.#questions.shift();
    // It may have been closed meanwhile: its time was over, or somebody else answered it.
    await host.delegator.control
      .answer(question.session_id, question.id, answer)
      .catch((error) => writeError(`${errorInfo(error).message}\n`));
    watcher.resume();
    await this.#ask();
  }

  /** Null when the turn ended before an answer was given. */
  async #answerTo(question: Question): Promise<string | null> {
    const keyboard = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
    this.#keyboard = keyboard;
    // The keyboard takes Ctrl-C for itself; it still means to stop.
    keyboard.on('SIGINT', () => process.emit('SIGINT', 'SIGINT'));
    try {
      keyboard.setPrompt('? ');
      keyboard.prompt();
      for await (const line of keyboard) {
        const answer = readAnswer(question, line);
        if (answer !== null) return answer;
        keyboard.prompt();
      }
      return null;
    } finally {
      keyboard.close();
      this.#keyboard = null;
    }
  }
}
