import { join } from 'node:path';
import { errorInfo, hostPaths, type Outcome, outcomeText, type Question } from '@amplifier/host';
import type { Cli } from '../cli.js';
import type { TalkOptions } from '../commands/talk.js';
import { inFolderOf, openCliHost } from '../open-host.js';
import { wrap } from '../terminal/fit.js';
import { writeOut } from '../terminal/screen.js';
import { version } from '../version.js';
import { questionText, readAnswer } from './ask-person.js';
import { LineReader } from './line-reader.js';
import { endLines } from './show-session.js';
import { runSlashCommand, steer, type Talk } from './slash-commands.js';
import { streamTurn } from './stream-turn.js';
import { TalkSession } from './talk-session.js';

const PROMPT = '› ';

/** Talks in a terminal, turn by turn, until the person leaves. */
export async function holdConversation(cli: Cli, options: TalkOptions): Promise<number> {
  const { resume, offline = false, bundle } = options;
  const folder = resume ? inFolderOf(resume, cli) : cli;
  const questions: Question[] = [];
  let conversation: Conversation | null = null;
  await using host = await openCliHost(folder, {
    bundle,
    offline,
    ...(resume ? { place: resume.place } : {}),
    hooks: [{ module: 'hooks-approval' }],
    onQuestion: (question) => {
      questions.push(question);
      conversation?.ask();
    },
  });
  if (!resume) host.requireModel();
  conversation = new Conversation(folder, new TalkSession(host, resume?.session_id ?? null), questions);
  const { print } = conversation;
  print(
    ...wrap(`amplifier ${version} in ${folder.cwd}. /help shows what can be said; Ctrl-D leaves.`, cli.width),
  );
  if (resume) print(...(await endLines(host, resume.session_id, folder)));
  await conversation.hold();
  return 0;
}

/** Who says what when: the keyboard, the questions of agents, and what Ctrl-C means at the moment. */
class Conversation implements Talk {
  readonly cli: Cli;
  readonly session: TalkSession;
  readonly #reader: LineReader;
  readonly #questions: Question[];
  #interrupts = 0;
  #left = false;
  #done: () => void = () => {};

  constructor(cli: Cli, session: TalkSession, questions: Question[]) {
    this.cli = cli;
    this.session = session;
    this.#questions = questions;
    this.#reader = new LineReader(join(hostPaths(cli.cwd).home, 'history'), {
      onInput: (text) => void this.#take(text),
      onInterrupt: (line) => this.#interrupt(line),
      onEnd: () => this.leave(),
    });
  }

  /** Resolves when the person has left and nothing runs. */
  hold(): Promise<void> {
    const left = new Promise<void>((resolve) => {
      this.#done = resolve;
    });
    this.#reader.prompt(PROMPT);
    return left;
  }

  readonly print = (...lines: string[]): void => {
    for (const line of lines) writeOut(`${line}\n`);
  };

  leave(): void {
    if (this.#left) return;
    this.#left = true;
    if (this.session.isRunning) this.session.stop(true);
    this.#reader.close();
    if (!this.session.isRunning) this.#end();
  }

  /** Puts the first open question to the person. */
  ask(): void {
    const [question] = this.#questions;
    if (!question) return;
    this.print(questionText(question, this.cli.color));
    this.#reader.prompt('? ');
  }

  readonly runTurn = async (text: string): Promise<Outcome | null> => {
    const stream = streamTurn(this.cli, writeOut);
    try {
      const outcome = await this.session.turn(text, (name, data) => stream.onEvent(name, data));
      this.#showEnding(outcome, stream.spoken);
      return outcome;
    } catch (error) {
      this.print('', errorInfo(error).message);
      return null;
    } finally {
      this.#questions.length = 0;
      if (this.#left) this.#end();
    }
  };

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
      if (!this.#left && !this.session.isRunning) this.#reader.prompt(PROMPT);
    }
  }

  async #answer(question: Question, text: string): Promise<void> {
    const answer = readAnswer(question, text);
    if (answer === null) {
      const { length } = question.options;
      this.print(length > 0 ? `Answer with a number from 1 to ${length}.` : 'Say something.');
      this.#reader.prompt('? ');
      return;
    }
    this.#questions.shift();
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
      this.print('', atOnce ? 'Stopping.' : 'Stopping after the present step. Ctrl-C again stops at once.');
      return;
    }
    this.#interrupts++;
    if (line === '' && this.#interrupts > 1) {
      this.leave();
      return;
    }
    this.#reader.clearLine();
    this.print('', 'Ctrl-C again leaves.');
    this.#reader.prompt(PROMPT);
  }

  #end(): void {
    const { session_id } = this.session;
    if (session_id !== null)
      this.print('', this.cli.color.dim(`Go on with: amplifier session resume ${session_id}`));
    this.#done();
  }
}
