import {
  CancellationToken,
  type DataAttachment,
  findSession,
  type Host,
  isMailUnread,
  type JsonObject,
  type ModelOptions,
  type Outcome,
  preferredProvider,
  UNREAD_MAIL,
} from '@amplifier/host';
import type { SessionOptions } from '../options/session-options.js';
import { SUMMARY_PREFACE } from '../output/session-title.js';

interface Watched {
  cancellation: CancellationToken;
  onEvent: OnEvent;
  attachments: DataAttachment[];
}

type OnEvent = (name: string, data: Readonly<JsonObject>) => void;

const SUMMARY_REQUEST =
  'Write a summary of this conversation for somebody who continues with it and has not read it: the goal, what was decided, what was done, what is open, and the names of files and sessions that matter.';

/** The session a person talks in. The first turn makes it; fork, resume and compact change which one it is. */
export class TalkSession {
  readonly host: Host;
  /** Null before the first turn. */
  session_id: string | null;
  /** The model of the turns to come, where the person named one. */
  wish: ModelOptions = {};
  /** The provider of the last turn, by its name in the settings. */
  provider: string | null = null;
  readonly #wishes: SessionOptions;
  /** Said before the next instruction, as the beginning of a new session. */
  #preface = '';
  #turn: CancellationToken | null = null;
  /** Messages sent to the running turn, by their ids once they are stored. */
  #steering: Promise<string | null>[] = [];

  constructor(host: Host, session_id: string | null, wishes: SessionOptions) {
    this.host = host;
    this.session_id = session_id;
    this.#wishes = wishes;
    const { provider, model, role } = wishes;
    this.wish = { provider, model, role };
  }

  /** The model that would answer now; null where it is not known yet. */
  async expectedModel(): Promise<string | null> {
    const { wish, session_id, host } = this;
    if (wish.model !== undefined && !/[*?[]/.test(wish.model)) return wish.model;
    if (session_id !== null && Object.values(wish).every((value) => value === undefined)) {
      const launch = await host.store.document(session_id, 'launch');
      const { chosen } = (launch?.model ?? {}) as { chosen?: { model?: string } };
      if (chosen?.model) return chosen.model;
    }
    const { safety_mode, limits, fallback } = this.#wishes;
    const request = { instruction: '', safety_mode, limits, fallback, trusted: true, ...wish };
    const { chosen } = (await host.planRun(request)).model;
    if (chosen) return chosen.model;
    return host.providers.get(preferredProvider(host.plan, host.providers))?.defaultModel ?? null;
  }

  get isRunning(): boolean {
    return this.#turn !== null;
  }

  /** Stops the running turn at once. The session stays as far as it came. */
  stop(): void {
    this.#turn?.request('immediate');
  }

  /** One turn, of a new session where there is none yet. Rejects when it cannot begin. */
  async turn(text: string, onEvent: OnEvent, attachments: DataAttachment[] = []): Promise<Outcome> {
    const cancellation = new CancellationToken();
    this.#turn = cancellation;
    try {
      const watching = { cancellation, onEvent: this.#noting(onEvent), attachments };
      let { outcome, launch } = await (this.session_id === null
        ? this.#begin(text, watching)
        : this.#goOn(this.session_id, text, watching));
      const { session_id } = outcome;
      this.session_id = session_id;
      while (outcome.status === 'completed' && (await this.#hasUnread(session_id)))
        ({ outcome, launch } = await this.#goOn(session_id, UNREAD_MAIL, { ...watching, attachments: [] }));
      this.provider = launch.model.chosen?.provider ?? null;
      return outcome;
    } finally {
      this.#turn = null;
      this.#steering = [];
    }
  }

  /** Sends a message to the running turn. One that arrives after its last step gets a turn for itself. */
  async steer(session_id: string, text: string): Promise<void> {
    const sent = this.host.delegator.control.message(session_id, text, 'user');
    this.#steering.push(sent.catch(() => null));
    await sent;
  }

  /** True if a message to the turn that has just ended was not read. Messages sent during the check are included. */
  async #hasUnread(session_id: string): Promise<boolean> {
    while (this.#steering.length > 0) {
      const ids = await Promise.all(this.#steering.splice(0));
      for (const id of ids)
        if (id !== null && (await isMailUnread(this.host.store, session_id, id))) return true;
    }
    return false;
  }

  /** Brings the session to its end after its process died. */
  async continue(onEvent: OnEvent): Promise<Outcome> {
    const { session_id } = this;
    if (session_id === null) throw new Error('There is no session yet.');
    const cancellation = new CancellationToken();
    this.#turn = cancellation;
    try {
      const { outcome } = await this.host.delegator.continue(session_id, { cancellation, onEvent });
      return outcome;
    } finally {
      this.#turn = null;
    }
  }

  /** Goes on in a copy, from the end or from the end of a turn. */
  async fork(session_id: string, turn: number | null): Promise<string> {
    const fork = await this.host.delegator.fork(session_id, { turn: turn ?? undefined });
    this.session_id = fork.session_id;
    return fork.session_id;
  }

  /** Continues with another session, unless it belongs to another folder: this host has no place for it. */
  async switchTo(prefix: string): Promise<{ session_id: string; here: boolean }> {
    const { paths } = this.host.project;
    const { session_id, place } = await findSession(prefix, paths);
    const here = place.sessions === paths.sessions;
    if (here) this.session_id = session_id;
    return { session_id, here };
  }

  /** Lets the session sum itself up; the next turn begins a new one with that. False when there is no summary. */
  async compact(run: (text: string) => Promise<Outcome | null>): Promise<boolean> {
    const outcome = await run(SUMMARY_REQUEST);
    if (outcome?.status !== 'completed') return false;
    this.#preface = `${SUMMARY_PREFACE}\n\n${outcome.text}\n\n---\n\n`;
    this.session_id = null;
    return true;
  }

  #begin(text: string, watching: Watched) {
    const preface = this.#preface;
    this.#preface = '';
    const { safety_mode, limits, fallback, network } = this.#wishes;
    const request = { instruction: text, preface, safety_mode, limits, fallback, network, trusted: true };
    return this.host.run({ ...request, ...this.wish, ...watching });
  }

  async #goOn(session_id: string, text: string, watching: Watched) {
    const rights = await this.host.rightsFor(session_id, undefined, true, false, this.#wishes.network);
    const providers = await this.host.providersFor(this.#wishes.offline, this.wish);
    return this.host.delegator.resume(session_id, text, {
      ...watching,
      rights: rights ?? undefined,
      providers: providers ?? undefined,
    });
  }

  /** The session is known from its first event on, so that it can be steered in its first turn. */
  #noting(onEvent: OnEvent): OnEvent {
    return (name, data) => {
      const { depth, session_id } = (data.lineage ?? {}) as { depth?: number; session_id?: string };
      if (depth === 0 && session_id) this.session_id ??= session_id;
      onEvent(name, data);
    };
  }
}
