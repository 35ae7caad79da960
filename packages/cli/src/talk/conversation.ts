import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CancellationToken,
  errorInfo,
  findSession,
  type Host,
  hostPaths,
  type LaunchRecord,
  type ModelWish,
  moduleSpec,
  type Outcome,
  outcomeText,
  type Question,
  type SessionSummary,
  textOf,
} from '@amplifier/host';
import type { Cli } from '../cli.js';
import type { TalkOptions } from '../commands/talk.js';
import { inFolderOf, openCliHost } from '../open-host.js';
import { fromFolder, whole } from '../session-options.js';
import { table } from '../terminal/fit.js';
import { version } from '../version.js';
import { questionText, readAnswer } from './ask-person.js';
import { LineReader } from './line-reader.js';
import { runSlashCommand, SLASH_COMMANDS } from './slash-commands.js';
import { streamTurn } from './stream-turn.js';

const PROMPT = '› ';
const SUMMARY_REQUEST =
  'Write a summary of this conversation for somebody who goes on with it and has not read it: the goal, what was decided, what was done, what is open, and the names of files and sessions that matter.';

/** A conversation in a terminal: one session after the other, turn by turn, until the person leaves. */
export class Conversation {
  readonly #cli: Cli;
  readonly #host: Host;
  readonly #reader: LineReader;
  #session_id: string | null;
  /** Said before the next instruction, as the beginning of a new session. */
  #preface = '';
  #wish: ModelWish = {};
  #turn: CancellationToken | null = null;
  #questions: Question[];
  #interrupts = 0;
  #left = false;
  #done: () => void = () => {};

  private constructor(cli: Cli, host: Host, session_id: string | null, questions: Question[]) {
    this.#cli = cli;
    this.#host = host;
    this.#session_id = session_id;
    this.#questions = questions;
    this.#reader = new LineReader(join(hostPaths(cli.cwd).home, 'history'), {
      onInput: (text) => void this.#take(text),
      onInterrupt: (line) => this.#interrupt(line),
      onEnd: () => this.leave(),
    });
  }

  /** Talks until the person leaves. */
  static async hold(cli: Cli, { resume, offline = false, bundle }: TalkOptions): Promise<number> {
    const questions: Question[] = [];
    const told: { talk: Conversation | null } = { talk: null };
    const folder = resume ? inFolderOf(resume, cli) : cli;
    await using host = await openCliHost(folder, {
      bundle,
      offline,
      ...(resume ? { place: resume.place } : {}),
      hooks: [{ module: 'hooks-approval' }],
      onQuestion: (question) => {
        questions.push(question);
        told.talk?.askNext();
      },
    });
    if (!resume) host.requireModel();
    const talk = new Conversation(folder, host, resume?.session_id ?? null, questions);
    told.talk = talk;
    talk.print(`amplifier ${version} in ${folder.cwd}. /help shows what can be said; Ctrl-D leaves.`);
    if (resume) await talk.#showEnd(resume.session_id);
    const ended = new Promise<void>((resolve) => {
      talk.#done = resolve;
    });
    talk.#reader.prompt(PROMPT);
    await ended;
    return 0;
  }

  print(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  leave(): void {
    if (this.#left) return;
    this.#left = true;
    this.#turn?.request('immediate');
    this.#reader.close();
    if (!this.#turn) this.#end();
  }

  async showAgents(): Promise<void> {
    const { agents } = await this.#host.project.agents.listAgents();
    const rows = agents.map(({ name, origin, agent }) => [
      name,
      origin,
      (agent.description ?? '').replace(/\s+/g, ' '),
    ]);
    for (const line of table(rows, this.#cli.width)) this.print(line);
  }

  showTools(): void {
    const tools = (this.#host.plan.tools ?? []).map((entry) => moduleSpec(entry)?.module ?? String(entry));
    this.print(tools.join('\n'));
  }

  chooseModel(name: string): void {
    if (name === '') {
      const known = [...this.#host.providers].map(
        ([id, provider]) => `${id}/${provider.defaultModel ?? '?'}`,
      );
      this.print(`Now: ${this.#wish.model ?? 'as configured'}. Providers: ${known.join(', ')}`);
      return;
    }
    const [, provider, model] = /^([^/]+)\/(.+)$/.exec(name) ?? [];
    const named = provider !== undefined && this.#host.providers.has(provider);
    this.#wish = named ? { provider, model } : { model: name };
    this.print(`From the next turn on: ${name}`);
  }

  async showCost(): Promise<void> {
    if (this.#session_id === null) return this.print('Nothing has been used yet.');
    const { usage } = await this.#host.store.metadata(this.#session_id);
    this.print(
      `${usage.total_tokens} tokens, ${usage.cost_usd === null ? 'cost unknown' : `$${usage.cost_usd}`} (this session; /children shows the others)`,
    );
  }

  async showChildren(): Promise<void> {
    if (this.#session_id === null) return this.print('There is no session yet.');
    const draw = async (children: readonly SessionSummary[], indent: string): Promise<void> => {
      for (const { session_id, agent_name, status } of children) {
        this.print(`${indent}${agent_name ?? '-'}  ${status}  ${session_id}`);
        await draw(await this.#host.store.children(session_id), `${indent}  `);
      }
    };
    const children = await this.#host.store.children(this.#session_id);
    if (children.length === 0) this.print('It has no children.');
    await draw(children, '');
  }

  async steer(text: string): Promise<void> {
    if (text === '') return this.print('Say what to tell it: /steer TEXT');
    if (!this.#turn || this.#session_id === null) return this.print('Nothing runs. Just say it.');
    await this.#host.delegator.control.message(this.#session_id, text, 'user');
    this.print(this.#cli.color.dim('Sent. It is read at the next step.'));
  }

  async fork(turn: string): Promise<void> {
    if (this.#session_id === null) return this.print('There is no session yet.');
    const at = turn === '' ? undefined : whole('/fork', turn, 1);
    const fork = await this.#host.delegator.fork(this.#session_id, at === undefined ? {} : { turn: at });
    this.#session_id = fork.session_id;
    this.print(`Now in ${this.#session_id}`);
  }

  async switchTo(id: string): Promise<void> {
    if (id === '') return this.print('Say which: /resume ID');
    const { session_id, place } = await findSession(id, this.#host.project.paths);
    if (place.sessions !== this.#host.project.paths.sessions) {
      return this.print(
        `${session_id} belongs to another folder. Leave, and: amplifier session resume ${session_id}`,
      );
    }
    this.#session_id = session_id;
    await this.#showEnd(session_id);
  }

  async compact(): Promise<void> {
    if (this.#session_id === null) return this.print('There is no session yet.');
    const outcome = await this.#runTurn(SUMMARY_REQUEST);
    if (outcome?.status !== 'completed') return this.print('The conversation stays as it is.');
    this.#preface = `This is what a conversation before this one came to:\n\n${outcome.text}\n\n---\n\n`;
    this.print(
      `The next turn begins a new session with this summary. The old one stays: ${this.#session_id}`,
    );
    this.#session_id = null;
  }

  async save(file: string): Promise<void> {
    if (this.#session_id === null) return this.print('There is no session yet.');
    const path = fromFolder(this.#cli.cwd, file === '' ? `${this.#session_id}.md` : file);
    const messages = await this.#host.store.messages(this.#session_id);
    const parts = messages.map(
      ({ role, name, content }) => `## ${name ? `${role} ${name}` : role}\n\n${textOf(content)}\n`,
    );
    await writeFile(path, [`# ${this.#session_id}\n`, ...parts].join('\n'), { flag: 'wx' });
    this.print(`Written to ${path}`);
  }

  showHelp(): void {
    const rows = SLASH_COMMANDS.map(({ name, words }) => [`/${name}`, words]);
    for (const line of table(rows, this.#cli.width)) this.print(line);
    this.print(
      'A line that ends with \\ goes on in the next. While a turn runs, what you type is told to it. Ctrl-C stops it; twice, at once.',
    );
  }

  /** Puts the first open question to the person. */
  askNext(): void {
    const [question] = this.#questions;
    if (!question) return;
    this.print(questionText(question, this.#cli.color));
    this.#reader.prompt('? ');
  }

  async #take(text: string): Promise<void> {
    this.#interrupts = 0;
    try {
      const [question] = this.#questions;
      if (question && this.#turn) await this.#answer(question, text);
      else if (text.trim() === '') return;
      else if (text.startsWith('/')) await runSlashCommand(this, text, this.#turn !== null);
      else if (this.#turn) await this.steer(text);
      else await this.#runTurn(text);
    } catch (error) {
      this.print(`${errorInfo(error).message}`);
    } finally {
      if (!this.#left && !this.#turn) this.#reader.prompt(PROMPT);
    }
  }

  async #answer(question: Question, text: string): Promise<void> {
    const answer = readAnswer(question, text);
    if (answer === null) {
      this.print(
        question.options.length > 0
          ? `Answer with a number from 1 to ${question.options.length}.`
          : 'Say something.',
      );
      this.#reader.prompt('? ');
      return;
    }
    this.#questions.shift();
    await this.#host.delegator.control.answer(question.session_id, question.id, answer);
    this.askNext();
  }

  async #runTurn(text: string): Promise<Outcome | null> {
    const turn = new CancellationToken();
    this.#turn = turn;
    const stream = streamTurn(this.#cli, (part) => process.stdout.write(part));
    const watching = {
      cancellation: turn,
      onEvent: (...event: Parameters<typeof stream.onEvent>) => this.#hear(stream, ...event),
    };
    try {
      const { outcome } = await this.#turnOf(text, watching);
      this.#session_id = outcome.session_id;
      this.#showEnding(outcome, stream.spoken);
      return outcome;
    } catch (error) {
      this.print(`\n${errorInfo(error).message}`);
      return null;
    } finally {
      this.#turn = null;
      this.#questions.length = 0;
      if (this.#left) this.#end();
    }
  }

  /** The session is known from its first event on, so that it can be steered in its first turn. */
  #hear(
    stream: ReturnType<typeof streamTurn>,
    name: string,
    data: Parameters<typeof stream.onEvent>[1],
  ): void {
    const { depth, session_id } = (data.lineage ?? {}) as { depth?: number; session_id?: string };
    if (depth === 0 && session_id) this.#session_id ??= session_id;
    stream.onEvent(name, data);
  }

  async #turnOf(
    text: string,
    watching: {
      cancellation: CancellationToken;
      onEvent: (name: string, data: Parameters<ReturnType<typeof streamTurn>['onEvent']>[1]) => void;
    },
  ): Promise<{ outcome: Outcome; launch: LaunchRecord }> {
    if (this.#session_id === null) {
      const instruction = `${this.#preface}${text}`;
      this.#preface = '';
      return this.#host.run({ instruction, safety_mode: 'write', trusted: true, ...this.#wish, ...watching });
    }
    const providers = await this.#host.providersFor(false, this.#wish);
    return this.#host.delegator.resume(this.#session_id, text, {
      ...watching,
      ...(providers ? { providers } : {}),
    });
  }

  #showEnding(outcome: Outcome, spoken: string): void {
    const text = outcomeText(outcome).trim();
    if (!spoken.includes(text)) this.print(`\n${text}`);
    else if (!spoken.endsWith('\n')) this.print('');
    if (outcome.status === 'needs_input') this.print(this.#cli.color.bold(outcome.question));
    else if (outcome.status !== 'completed')
      this.print(`${this.#cli.color.bold(outcome.status)}: ${outcome.error.message}`);
  }

  async #showEnd(session_id: string): Promise<void> {
    const lines = await this.#host.store.tail(session_id, 4);
    this.print(this.#cli.color.dim(`session ${session_id}`));
    for (const { role, content } of lines) {
      const text = textOf(content).trim();
      if (text !== '' && role !== 'tool') this.print(`${this.#cli.color.bold(role)} ${text}`);
    }
  }

  #interrupt(line: string): void {
    if (this.#turn) {
      const level = this.#turn.isCancelled ? 'immediate' : 'graceful';
      this.#turn.request(level);
      this.print(
        level === 'graceful'
          ? '\nStopping after the present step. Ctrl-C again stops at once.'
          : '\nStopping.',
      );
      return;
    }
    this.#interrupts++;
    if (line === '' && this.#interrupts > 1) {
      this.leave();
      return;
    }
    this.#reader.clearLine();
    this.print('\nCtrl-C again leaves.');
    this.#reader.prompt(PROMPT);
  }

  #end(): void {
    if (this.#session_id !== null)
      this.print(this.#cli.color.dim(`\nGo on with: amplifier session resume ${this.#session_id}`));
    this.#done();
  }
}
