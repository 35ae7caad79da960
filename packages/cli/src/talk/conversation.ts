import { errorInfo, type Outcome, outcomeText, type Question } from '@amplifier/host';
import type { Cli } from '../cli.js';
import type { TalkOptions } from '../commands/talk.js';
import { inFolderOf, openCliHost } from '../open-host.js';
import { wrap } from '../terminal/fit.js';
import { version } from '../version.js';
import { answerForKey, readAnswer } from './ask-person.js';
import { notifyWhenLong } from './notify.js';
import { type OpenScreen, screenFor } from './open-screen.js';
import { endLines } from './show-session.js';
import { runSlashCommand, steer, type Talk } from './slash-commands.js';
import type { TalkScreen, TurnView } from './talk-screen.js';
import { TalkSession } from './talk-session.js';

/** Talks in a terminal, turn by turn, until the person leaves. */
export async function holdConversation(cli: Cli, { resume, session: wishes }: TalkOptions): Promise<number> {
  const { bundle, offline, safety_mode } = wishes;
  const folder = resume ? inFolderOf(resume, cli) : cli;
  const questions: Question[] = [];
  let conversation: Conversation | null = null;
  await using host = await openCliHost(folder, {
    bundle,
    offline,
    ...(resume ? { place: resume.place } : {}),
    hooks: safety_mode === 'yolo' ? [] : [{ module: 'hooks-approval' }],
    onQuestion: (question) => {
      questions.push(question);
      conversation?.ask();
    },
  });
  if (!resume) host.requireModel();
  const session = new TalkSession(host, resume?.session_id ?? null, wishes);
  const openScreen = await screenFor(folder, host);
  conversation = new Conversation(folder, session, questions, openScreen);
  conversation.print(
    ...wrap(`amplifier ${version} in ${folder.cwd}. /help shows what can be said; Ctrl-D leaves.`, cli.width),
  );
  if (resume) conversation.print(...(await endLines(host, resume.session_id, folder)));
  await conversation.hold();
  return 0;
}

/** Who says what when: the keyboard, the questions of agents, and what Ctrl-C means at the moment. */
class Conversation implements Talk {
  readonly cli: Cli;
  readonly session: TalkSession;
  readonly #screen: TalkScreen;
  #view: TurnView | null = null;
  readonly #questions: Question[];
  #asked: Question | null = null;
  #interrupts = 0;
  #left = false;
  #done: () => void = () => {};

  constructor(cli: Cli, session: TalkSession, questions: Question[], openScreen: OpenScreen) {
    this.cli = cli;
    this.session = session;
    this.#questions = questions;
    this.#screen = openScreen({
      onInput: (text) => void this.#take(text),
      onInterrupt: (line) => this.#interrupt(line),
      onEnd: () => void this.#endOrDeny(),
    });
  }

  /** Resolves when the person has left and nothing runs. */
  hold(): Promise<void> {
    const left = new Promise<void>((resolve) => {
      this.#done = resolve;
    });
    this.#screen.prompt();
    return left;
  }

  readonly print = (...lines: string[]): void => this.#screen.print(...lines);

  leave(): void {
    if (this.#left) return;
    this.#left = true;
    if (this.session.isRunning) this.session.stop(true);
    if (!this.session.isRunning) this.#end();
  }

  /** Puts the first open question to the person; those that wait behind it come after it. */
  ask(): void {
    if (this.#asked === this.#questions[0]) return;
    this.#asked = this.#questions[0] ?? null;
    this.#screen.ask(this.#asked);
  }

  readonly runTurn = (text: string): Promise<Outcome | null> =>
    this.#show((onEvent) => this.session.turn(text, onEvent));

  /** Brings an interrupted session to its end. */
  readonly continueTurn = (): Promise<Outcome | null> =>
    this.#show((onEvent) => this.session.continue(onEvent));

  async #show(run: (onEvent: TurnView['onEvent']) => Promise<Outcome>): Promise<Outcome | null> {
    const view = this.#screen.showTurn();
    this.#view = view;
    const started = Date.now();
    try {
      const outcome = await run((name, data) => view.onEvent(name, data));
      const { spoken } = view;
      view.end();
      this.#showEnding(outcome, spoken);
      return outcome;
    } catch (error) {
      view.end();
      this.print('', errorInfo(error).message);
      return null;
    } finally {
      this.#view = null;
      this.#questions.length = 0;
      this.#asked = null;
      this.#screen.ask(null);
      notifyWhenLong(Date.now() - started, 'The turn has ended');
      if (this.#left) this.#end();
    }
  }

  async #take(text: string): Promise<void> {
    this.#interrupts = 0;
    const running = this.session.isRunning;
    try {
      const [question] = this.#questions;
      if (question && running) await this.#answer(question, text);
      else if (text.trim() === '') return;
      else if (text.startsWith('/')) await runSlashCommand(this, text);
      else if (running) await steer(this, text);
      else await this.runTurn(text);
    } catch (error) {
      this.print(errorInfo(error).message);
    } finally {
      if (!this.#left && !this.session.isRunning) this.#screen.prompt();
    }
  }

  async #answer(question: Question, text: string): Promise<void> {
    const answer = readAnswer(question, text);
    if (answer === null) {
      const { length } = question.options;
      this.print(length > 0 ? `Answer with a number from 1 to ${length}.` : 'Say something.');
      this.#screen.prompt();
      return;
    }
    this.#questions.shift();
    this.#asked = null;
    this.#screen.ask(null);
    await this.session.host.delegator.control.answer(question.session_id, question.id, answer);
    this.ask();
  }

  #showEnding(outcome: Outcome, spoken: string): void {
    const text = outcomeText(outcome).trim();
    if (!spoken.includes(text)) this.print('', text);
    else if (!spoken.endsWith('\n')) this.print('');
    if (outcome.status === 'needs_input') this.print(this.cli.color.bold(outcome.question));
    else if (outcome.status !== 'completed')
      this.print(`${this.cli.color.bold(outcome.status)}: ${outcome.error.message}`);
  }

  #interrupt(line: string): void {
    if (this.session.isRunning) {
      const atOnce = this.session.stop() === 'immediate';
      this.#view?.stopping();
      this.print('', atOnce ? 'Stopping.' : 'Stopping after the present step. Ctrl-C again stops at once.');
      return;
    }
    this.#interrupts++;
    if (line === '' && this.#interrupts > 1) {
      this.leave();
      return;
    }
    this.#screen.clearLine();
    this.print('', 'Ctrl-C again leaves.');
    this.#screen.prompt();
  }

  #end(): void {
    const { session_id } = this.session;
    if (session_id !== null)
      this.print('', this.cli.color.dim(`Go on with: amplifier session resume ${session_id}`));
    this.#screen.close();
    this.#done();
  }

  /** Ctrl-D says no to an open question and goes on; without one it leaves. */
  async #endOrDeny(): Promise<void> {
    const [question] = this.#questions;
    const no = question ? answerForKey(question, 'n') : null;
    if (question && no !== null && this.session.isRunning) await this.#answer(question, no);
    else this.leave();
  }
}
