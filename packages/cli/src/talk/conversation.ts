import {
  errorInfo,
  type Outcome,
  outcomeText,
  type Question,
  superviseProcess,
  tilde,
} from '@amplifier/host';
import type { Cli } from '../cli.js';
import type { TalkOptions } from '../commands/run/talk.js';
import { inFolderOf, openCliHost } from '../open/open-host.js';
import { adviceFor, whatFailed } from '../output/advice.js';
import { wrap } from '../terminal/fit.js';
import { version } from '../version.js';
import { answerForKey, readAnswer } from './ask-person.js';
import { callBack } from './notify.js';
import { type OpenQuestion, OpenQuestions } from './open-questions.js';
import { type OpenScreen, screenFor } from './open-screen.js';
import { endLines } from './show-session.js';
import { runSlashCommand, steer, type Talk } from './slash-commands.js';
import type { TalkScreen, TurnView } from './talk-screen.js';
import { TalkSession } from './talk-session.js';

/** Talks in a terminal, turn by turn, until the person leaves. */
export async function holdConversation(cli: Cli, { resume, session: wishes }: TalkOptions): Promise<number> {
  const { bundle, offline, safety_mode } = wishes;
  const folder = resume ? inFolderOf(resume, cli) : cli;
  const questions = new OpenQuestions();
  let conversation: Conversation | null = null;
  await using host = await openCliHost(folder, {
    bundle,
    offline,
    place: resume?.place,
    hooks: safety_mode === 'yolo' ? [] : [{ module: 'hooks-approval' }],
    onQuestion: (question) => {
      const known = questions.add(question);
      if (known === null) conversation?.ask();
      else void conversation?.give([question], known);
    },
  });
  superviseProcess();
  if (!resume) host.requireModel();
  const session = new TalkSession(host, resume?.session_id ?? null, wishes);
  const openScreen = await screenFor(folder, host);
  conversation = new Conversation(folder, session, questions, openScreen);
  conversation.print(...welcome(folder, wishes));
  conversation.expectModel();
  if (resume) conversation.print(...(await endLines(host, resume.session_id, folder)));
  await conversation.hold();
  return 0;
}

/** The first lines of a conversation. */
function welcome({ cwd, width, color }: Cli, { offline, safety_mode }: TalkOptions['session']): string[] {
  const [first = '', ...rest] = wrap(`amplifier ${version} in ${tilde(cwd)}`, width);
  const mode = safety_mode === 'write' ? '' : ` Safety mode: ${safety_mode}.`;
  const rules = offline ? ' Offline: fixed rules answer instead of a model.' : '';
  const hint = `Type a task. /help lists the commands, Ctrl-D quits.${mode}${rules}`;
  return [color.bold(first), ...rest.map(color.bold), ...wrap(hint, width).map(color.dim), ''];
}

/** Who says what when: the keyboard, the questions of agents, and what Ctrl-C means at the moment. */
class Conversation implements Talk {
  readonly cli: Cli;
  readonly session: TalkSession;
  readonly #screen: TalkScreen;
  #view: TurnView | null = null;
  readonly #questions: OpenQuestions;
  #asked: OpenQuestion | null = null;
  #started = 0;
  #interrupts = 0;
  #left = false;
  #done: () => void = () => {};

  constructor(cli: Cli, session: TalkSession, questions: OpenQuestions, openScreen: OpenScreen) {
    this.cli = cli;
    this.session = session;
    this.#questions = questions;
    this.#screen = openScreen({
      onInput: (text) => void this.#take(text),
      onAnswer: (text) => void this.#takeAnswer(text),
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

  /** Shows the model that would answer now; where that cannot be said, nothing. */
  expectModel(): void {
    this.session.expectedModel().then(
      (model) => this.#screen.expectModel(model),
      () => {},
    );
  }

  leave(): void {
    if (this.#left) return;
    this.#left = true;
    if (this.session.isRunning) this.session.stop();
    if (!this.session.isRunning) this.#end();
  }

  /** Puts the first open question to the person; those that wait behind it come after it. */
  ask(): void {
    if (this.#asked === this.#questions.first) return;
    this.#asked = this.#questions.first;
    this.#screen.ask(this.#asked);
    if (this.#asked) this.#notify('There is a question for you');
  }

  readonly runTurn = (text: string): Promise<Outcome | null> =>
    this.#show((onEvent) => this.session.turn(text, onEvent, this.#screen.attached(text)));

  /** Brings an interrupted session to its end. */
  readonly continueTurn = (): Promise<Outcome | null> =>
    this.#show((onEvent) => this.session.continue(onEvent));

  async #show(run: (onEvent: TurnView['onEvent']) => Promise<Outcome>): Promise<Outcome | null> {
    const view = this.#screen.showTurn();
    this.#view = view;
    this.#started = Date.now();
    try {
      const outcome = await run((name, data) => view.onEvent(name, data));
      const { spoken } = view;
      view.end();
      this.#showEnding(outcome, spoken);
      return outcome;
    } catch (error) {
      view.end();
      this.print(errorInfo(error).message);
      return null;
    } finally {
      this.#view = null;
      this.#questions.clear();
      this.#asked = null;
      this.#screen.ask(null);
      this.#notify('The turn has ended');
      if (this.#left) this.#end();
    }
  }

  async #take(text: string): Promise<void> {
    this.#interrupts = 0;
    if (text.trim() !== '') await this.#tell(() => this.#do(text));
    if (!this.#left && !this.session.isRunning) this.#screen.prompt();
  }

  async #do(text: string): Promise<void> {
    if (!text.startsWith('/'))
      return this.session.isRunning ? steer(this, text) : void (await this.runTurn(text));
    await runSlashCommand(this, text);
    if (this.#left) return;
    this.print('');
    this.expectModel();
  }

  async #takeAnswer(text: string): Promise<void> {
    const open = this.#questions.first;
    this.#interrupts = 0;
    if (open && this.session.isRunning) await this.#tell(() => this.#answer(open, text));
    else this.print('The question was closed before you answered.');
  }

  /** What goes wrong is told, and the conversation stays. */
  async #tell(act: () => Promise<void>): Promise<void> {
    await act().catch((error: unknown) => this.print(errorInfo(error).message));
  }

  async #answer({ question, others }: OpenQuestion, text: string): Promise<void> {
    const answer = readAnswer(question, text);
    if (answer === null) {
      const { length } = question.options;
      this.print(length > 0 ? `Answer with a number from 1 to ${length}.` : 'Type an answer.');
      this.#screen.prompt();
      return;
    }
    const all = this.#questions.take(answer);
    this.#asked = null;
    this.#screen.ask(null);
    if (others.length > 0)
      this.print(
        this.cli.color.dim(`  The same for ${others.map(({ session_id }) => session_id).join(', ')}`),
      );
    const given = this.give(all, answer);
    this.ask();
    await given;
  }

  async give(questions: readonly Question[], answer: string): Promise<void> {
    const { control } = this.session.host.delegator;
    const given = await Promise.allSettled(
      questions.map(({ session_id, id }) => control.answer(session_id, id, answer)),
    );
    for (const each of given) if (each.status === 'rejected') this.print(errorInfo(each.reason).message);
  }

  #showEnding(outcome: Outcome, spoken: string): void {
    const text = outcomeText(outcome).trim();
    if (!spoken.includes(text)) this.print(text);
    if (outcome.status === 'needs_input') this.print(this.cli.color.bold(outcome.question), '');
    else if (outcome.status === 'cancelled') this.print(this.cli.color.bold('cancelled'), '');
    else if (outcome.status !== 'completed') this.#showWhy(outcome);
  }

  #showWhy({ status, error }: Exclude<Outcome, { status: 'completed' }>): void {
    const [only, ...others] = this.session.host.providers.keys();
    const provider = this.session.provider ?? (others.length === 0 ? (only ?? null) : null);
    this.print(`${this.cli.color.bold(status)}: ${whatFailed(error, provider)}`);
    const advice = adviceFor(error, provider);
    this.print(...(advice ? [advice] : []), '');
  }

  #interrupt(line: string): void {
    this.#interrupts++;
    if (line === '' && this.#interrupts > 1) {
      this.leave();
      return;
    }
    if (this.session.isRunning) {
      this.session.stop();
      this.#view?.stopping();
      this.print('', 'Stopping. Press the same key again to quit.');
      return;
    }
    this.#screen.clearLine();
    this.print('', 'Press Ctrl-C again to quit.');
    this.#screen.prompt();
  }

  #end(): void {
    const { session_id } = this.session;
    if (session_id !== null)
      this.print('', this.cli.color.dim(`Continue with: amplifier session resume ${session_id}`));
    this.#screen.close();
    this.#done();
  }

  /** Ctrl-D says no to an open question and goes on; without one it leaves. */
  async #endOrDeny(): Promise<void> {
    const open = this.#questions.first;
    const no = open ? answerForKey(open.question, 'n') : null;
    if (open && no !== null && this.session.isRunning) await this.#answer(open, no);
    else this.leave();
  }

  /** Calls back a person who looks elsewhere. */
  #notify(what: string): void {
    const { inFront } = this.#screen;
    callBack(what, { host: this.session.host, started: this.#started, inFront });
  }
}
