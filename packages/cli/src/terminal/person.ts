import { createInterface } from 'node:readline';
import {
  type CancellationToken,
  errorInfo,
  type Host,
  type HostOptions,
  type Question,
  type SafetyMode,
} from '@amplifier/host';
import type { Cli } from '../cli.js';
import { answerForKey, questionText, readAnswer } from '../talk/ask-person.js';
import { callBack } from '../talk/notify.js';
import { type OpenQuestion, OpenQuestions } from '../talk/open-questions.js';
import { canChoose, chooseOption } from './choose-option.js';
import type { Watcher } from './live-view.js';
import { writeError } from './screen.js';

/**
 * The person who watches a turn, for the questions its agents ask. Where nobody is there nothing is asked: the session then does
 * what its safety mode allows.
 */
export class Person {
  readonly #cli: Cli;
  readonly #approves: boolean;
  readonly #questions = new OpenQuestions();
  #attending: { host: Host; watcher: Watcher; token: CancellationToken; started: number } | null = null;
  #asking: AbortController | null = null;

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
        const known = this.#questions.add(question);
        if (known === null) void this.#ask();
        else void this.#give(question, known);
      },
    };
  }

  /** The turn begins. Whatever moves on the screen holds still while a question is open. */
  attend(host: Host, watcher: Watcher, token: CancellationToken): void {
    this.#attending = { host, watcher, token, started: Date.now() };
    void this.#ask();
  }

  /** The turn is over; what is still open need not be answered. */
  leave(): void {
    // Whoever stopped it is there.
    if (!this.#attending?.token.isCancelled) this.#callBack('The turn has ended');
    this.#attending = null;
    this.#questions.clear();
    this.#asking?.abort();
  }

  async #ask(): Promise<void> {
    const open = this.#questions.first;
    if (!open || !this.#attending || this.#asking) return;
    const { host, watcher } = this.#attending;
    const asking = new AbortController();
    this.#asking = asking;
    watcher.pause();
    this.#callBack('There is a question for you');
    const answer = await this.#answerTo(open, asking.signal);
    this.#asking = null;
    if (answer === null) return;
    // It may have been closed meanwhile: its time was over, or somebody else answered it.
    for (const question of this.#questions.take(answer)) await this.#give(question, answer, host);
    watcher.resume();
    await this.#ask();
  }

  #callBack(what: string): void {
    if (this.#attending && !this.#cli.json && !this.#cli.quiet) callBack(what, this.#attending);
  }

  async #give({ session_id, id }: Question, answer: string, host = this.#attending?.host): Promise<void> {
    await host?.delegator.control
      .answer(session_id, id, answer)
      .catch((error) => writeError(`${errorInfo(error).message}\n`));
  }

  /** Null when the turn ended before an answer was given. Ctrl-D says no and the turn goes on; Ctrl-C says no and stops it. */
  async #answerTo({ question }: OpenQuestion, signal: AbortSignal): Promise<string | null> {
    const byKey = question.options.length > 0 && canChoose();
    writeError(`${questionText(byKey ? { ...question, options: [] } : question, this.#cli.color)}\n`);
    const no = answerForKey(question, 'n') ?? '';
    if (!byKey) return this.#entered(question, no, signal);
    const choice = await chooseOption(this.#cli, question.options, signal).catch(() => null);
    if (choice !== 'interrupt') return choice?.option ?? null;
    process.emit('SIGINT', 'SIGINT');
    return no;
  }

  async #entered(question: Question, no: string, signal: AbortSignal): Promise<string | null> {
    const keyboard = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
    const close = () => keyboard.close();
    signal.addEventListener('abort', close, { once: true });
    try {
      // The keyboard takes Ctrl-C for itself; it still means to stop.
      keyboard.on('SIGINT', () => {
        process.emit('SIGINT', 'SIGINT');
        keyboard.close();
      });
      keyboard.setPrompt('? ');
      keyboard.prompt();
      for await (const line of keyboard) {
        const answer = readAnswer(question, line);
        if (answer !== null) return answer;
        keyboard.prompt();
      }
      return signal.aborted ? null : no;
    } finally {
      signal.removeEventListener('abort', close);
      keyboard.close();
    }
  }
}
