import { randomUUID } from 'node:crypto';
import { addUsage, NO_USAGE, sleep, type Usage } from '@amplifier/core';
import {
  eventPages,
  hasCode,
  isTerminal,
  type SessionMetadata,
  type SessionPage,
  type SessionStatus,
  type SessionStore,
  type SessionSummary,
} from '@amplifier/sessions';
import { isAwaited, withdrawTurn } from '../background/background-queue.js';
import { LIVENESS_MS } from '../defaults.js';
import { outcomeWithoutRun } from '../engine/ending.js';
import { QUESTION_ANSWERED, QUESTION_ASKED, QUESTION_CLOSED, type Question } from '../engine/questions.js';
import type { LaunchRecord } from '../plan/launch-record.js';
import { DelegationError } from '../request/delegation-error.js';
import type { Outcome } from '../request/outcome.js';
import type { Runtime } from '../runtime.js';
import { handBackLater } from '../turn/hand-back.js';
import { callOfTurn } from '../turn/turn-start.js';
import { cutOffOutcome, isCutOff, isInterrupted } from './cut-off.js';
import { hasEnded, loadLaunch, readOutcome, recordOutcome, turnOf } from './stored-outcome.js';

export interface ChildStatus {
  session_id: string;
  agent: string | null;
  status: SessionStatus;
  /** Its process died in the middle of the turn: it waits for somebody to continue it. */
  interrupted: boolean;
  created: string;
  updated: string;
  /** Messages in its transcript so far. */
  messages: number;
  outcome: Outcome | null;
}

/** Looks after sessions from outside, whichever process runs them. Everything here works from the record alone. */
export class Control {
  readonly #runtime: Runtime;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  async status(session_id: string): Promise<ChildStatus> {
    const launch = await loadLaunch(this.#runtime.store, session_id);
    const metadata = await this.#runtime.store.metadata(session_id);
    const { agent_name, status, created, updated, message_count } = metadata;
    const interrupted = await isCutOff(this.#runtime, launch, metadata);
    return {
      session_id,
      agent: agent_name,
      status,
      interrupted,
      created,
      updated,
      messages: message_count,
      outcome: await readOutcome(this.#runtime.store, metadata),
    };
  }

  /** Did the process of a listed session die in the middle of its turn? */
  isInterrupted(session: Pick<SessionSummary, 'session_id' | 'status'>): Promise<boolean> {
    return isInterrupted(this.#runtime, session);
  }

  /** The direct children, oldest first. */
  async children(
    session_id: string,
  ): Promise<{ session_id: string; agent: string | null; status: SessionStatus; interrupted: boolean }[]> {
    const children = await this.#runtime.store.children(session_id);
    return Promise.all(
      children.map(async (child) => ({
        session_id: child.session_id,
        agent: child.agent_name,
        status: child.status,
        interrupted: await this.isInterrupted(child),
      })),
    );
  }

  /**
   * Waits until all of them have an outcome, or the first of them with `any`. Returns those that have one. One whose process died
   * is interrupted; that is told, and not put on record.
   */
  async wait(
    session_ids: readonly string[],
    { any = false, signal }: { any?: boolean; signal?: AbortSignal } = {},
  ): Promise<Outcome[]> {
    const end = new AbortController();
    const stop = () => end.abort();
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const waits = session_ids.map((session_id) => this.#outcome(session_id, end.signal));
      if (any) {
        await Promise.race(waits);
        end.abort();
      }
      return (await Promise.all(waits)).filter((outcome) => outcome !== null);
    } finally {
      end.abort();
      signal?.removeEventListener('abort', stop);
    }
  }

  /** Sends a message, which the session reads at its next step or when it is resumed. Resolves to the id of the message. */
  async message(session_id: string, text: string, from: string | null = null): Promise<string> {
    await loadLaunch(this.#runtime.store, session_id);
    const { id } = await this.#runtime.store.send({ to: session_id, kind: 'message', from, body: { text } });
    return id;
  }

  /**
   * Stops a session, and everything below it unless `subtree` is false. Returns the sessions that were told to stop. One
   * that runs in another process is told by mail.
   */
  async cancel(
    session_id: string,
    {
      level = 'graceful',
      by = 'user',
      subtree = true,
      turn,
    }: {
      level?: 'graceful' | 'immediate';
      by?: string;
      subtree?: boolean;
      /** Only this turn of it, and nothing where another has begun since. */
      turn?: number;
    } = {},
  ): Promise<string[]> {
    if (turn !== undefined && turnOf(await this.#runtime.store.metadata(session_id)) !== turn) return [];
    // What runs here is told before anything is awaited; only then the record is asked for what runs elsewhere.
    const told = new Set(this.#runtime.live.stopTree(session_id, { kind: 'cancel', by }, level, subtree));
    const { root_id } = await this.#runtime.store.metadata(session_id);
    const below = subtree ? await this.#below(session_id, root_id) : [];
    const open = below.filter(({ status }) => !isTerminal(status)).map((session) => session.session_id);
    const ids = [session_id, ...open].filter((id) => !told.has(id));
    const stopped = await Promise.all(ids.map((id) => this.#stop(id, level, by)));
    return [...told, ...ids.filter((_, at) => stopped[at])];
  }

  /** The session and everything below it, parents first. */
  subtree(session_id: string): Promise<string[]> {
    return subtreeOf(this.#runtime.store, session_id);
  }

  /** Everything below a session, parents first, from one listing of its tree. */
  async #below(session_id: string, root_id: string): Promise<SessionSummary[]> {
    const children = new Map<string, SessionSummary[]>();
    let cursor: string | undefined;
    do {
      const page: SessionPage = await this.#runtime.store.list({
        root_id,
        limit: 1000,
        cursor,
      });
      for (const session of page.sessions) {
        const siblings = children.get(session.parent_id ?? '') ?? [];
        children.set(session.parent_id ?? '', [session, ...siblings]);
      }
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    const found = [...(children.get(session_id) ?? [])];
    for (const session of found) found.push(...(children.get(session.session_id) ?? []));
    return found;
  }

  /** What a session and everything below it consumed, from the logs, each model call counted once. */
  subtreeUsage(session_id: string): Promise<Usage> {
    return subtreeUsage(this.#runtime.store, session_id);
  }

  /** The questions of a session that wait for an answer. */
  questions(session_id: string): Promise<Question[]> {
    return openQuestions(this.#runtime.store, session_id);
  }

  /** Answers a question, once, whichever entry point it comes through. `from` says who, where it was not a person. */
  async answer(
    session_id: string,
    question_id: string,
    text: string,
    from: string | null = null,
  ): Promise<void> {
    const asked = (await this.questions(session_id)).some(({ id }) => id === question_id);
    const id = `answer_${question_id}`;
    const items = await this.#runtime.store.mail(session_id);
    if (items.some((item) => item.id === id)) throw answeredAlready(question_id);
    if (!asked)
      throw new DelegationError(`Session '${session_id}' has no open question ${question_id}.`, {
        code: 'QUESTION_NOT_FOUND',
      });
    const by = randomUUID();
    await this.#runtime.store.send({
      to: session_id,
      kind: 'answer',
      from,
      id,
      reply_to: question_id,
      body: { text, by },
    });
    // Two entry points may have answered at the same time; the one that came first is the one that counts.
    const counted = (await this.#runtime.store.mail(session_id)).find((item) => item.id === id);
    if (counted?.body.by !== by) throw answeredAlready(question_id);
  }

  /** The id, if the session is below `ancestor`; an error otherwise. */
  descendant(session_id: string, ancestor: string): Promise<string> {
    return requireDescendant(this.#runtime.store, session_id, ancestor);
  }

  async #known(session_id: string): Promise<Outcome | null> {
    return readOutcome(this.#runtime.store, await this.#runtime.store.metadata(session_id));
  }

  async #outcome(session_id: string, signal: AbortSignal): Promise<Outcome | null> {
    const launch = await loadLaunch(this.#runtime.store, session_id);
    const known = await this.#known(session_id);
    if (known) return known;
    const end = new AbortController();
    const either = AbortSignal.any([signal, end.signal]);
    try {
      return await Promise.race([this.#recorded(session_id, either), this.#cutOff(launch, either)]);
    } finally {
      end.abort();
    }
  }

  /** Found dead at two looks in a row: between two owners of a turn there may be a moment without any. */
  async #cutOff(launch: LaunchRecord, signal: AbortSignal): Promise<Outcome | null> {
    const { store, clock } = this.#runtime;
    for (let looks = 0; !signal.aborted; ) {
      const metadata = await store.metadata(launch.session_id);
      await this.#wakeWorker(metadata);
      looks = (await isCutOff(this.#runtime, launch, metadata)) ? looks + 1 : 0;
      if (looks === 2) return (await readOutcome(store, metadata)) ?? cutOffOutcome(launch);
      await sleep(clock, LIVENESS_MS, signal).catch(() => {});
    }
    return null;
  }

  /** A queued turn without an owner needs a worker: the one that ran it may have died, also since the last look. */
  async #wakeWorker(metadata: SessionMetadata): Promise<void> {
    const { store, queue, wakeWorker } = this.#runtime;
    const { session_id } = metadata;
    if (!queue || (await store.owner(session_id))) return;
    if (await isAwaited(queue, session_id, turnOf(metadata))) wakeWorker();
  }

  async #recorded(session_id: string, signal: AbortSignal): Promise<Outcome | null> {
    const metadata = await this.#runtime.store.metadata(session_id);
    const known = await readOutcome(this.#runtime.store, metadata);
    if (known) return known;
    for await (const { kind } of this.#runtime.store.watch(session_id, {
      after_event: metadata.event_count,
      signal,
    })) {
      const now = kind === 'event' ? await this.#known(session_id) : null;
      if (now) return now;
    }
    return null;
  }

  async #stop(session_id: string, level: 'graceful' | 'immediate', by: string): Promise<boolean> {
    const { store, live, queue } = this.#runtime;
    if (live.stop(session_id, { kind: 'cancel', by }, level)) return true;
    const metadata = await store.metadata(session_id);
    if (hasEnded(metadata)) return false;
    // One that was created and never given anything to do has nothing to stop.
    if ((await store.document(session_id, 'launch')) === null) return false;
    const turn = turnOf(metadata);
    const tell = () =>
      store.send({
        to: session_id,
        kind: 'cancel',
        from: by,
        id: `cancel_${session_id}_${turn}_${level}`,
        body: { level, turn },
      });
    await withdrawTurn(queue, session_id, turn, `Cancelled by ${by}`);
    // Told before its log is opened: a store may wait a while for whoever has it.
    const isOwned = (await store.owner(session_id)) !== null;
    if (isOwned) await tell();
    if (!(await this.#endUnowned(session_id, turn, by)) && !isOwned) await tell();
    return true;
  }

  /** A turn that nobody runs, because it waits in line or its process died, ends here. False when somebody runs it. */
  async #endUnowned(session_id: string, turn: number, by: string): Promise<boolean> {
    const { store, logs, live } = this.#runtime;
    const launch = await loadLaunch(store, session_id);
    try {
      await using log = await logs.open(session_id);
      if (hasEnded(log.metadata) || turnOf(log.metadata) !== turn) return true;
      const outcome = outcomeWithoutRun(launch, { stopped: { kind: 'cancel', by } });
      await recordOutcome(log, turn, outcome);
      if (callOfTurn(launch, log.metadata).background)
        await handBackLater(store, live, session_id, turn, outcome);
      return true;
    } catch (error) {
      if (hasCode(error, 'SESSION_LOCKED')) return false;
      throw error;
    }
  }
}

/** The session and everything below it, parents first. */
export async function subtreeOf(store: SessionStore, session_id: string): Promise<string[]> {
  const found = [session_id];
  for (let level = found; level.length > 0; ) {
    const below = await Promise.all(level.map((id) => store.children(id)));
    level = below.flat().map((child) => child.session_id);
    found.push(...level);
  }
  return found;
}

/** See `Control.subtreeUsage`. */
export async function subtreeUsage(store: SessionStore, session_id: string): Promise<Usage> {
  const ids = await subtreeOf(store, session_id);
  const usages = await Promise.all(ids.map(async (id) => (await store.metadata(id)).usage));
  return usages.reduce(addUsage, NO_USAGE);
}

/** See `Control.questions`. */
export async function openQuestions(store: SessionStore, session_id: string): Promise<Question[]> {
  const open = new Map<string, Question>();
  for await (const events of eventPages(store, session_id))
    for (const { name, data, time } of events) {
      const id = String(data.id);
      if (name === QUESTION_ASKED)
        open.set(id, { ...(data as unknown as Question), session_id, asked_at: time });
      if (name === QUESTION_ANSWERED || name === QUESTION_CLOSED) open.delete(id);
    }
  return [...open.values()];
}

/** See `Control.descendant`. */
export async function requireDescendant(
  store: SessionStore,
  session_id: string,
  ancestor: string,
): Promise<string> {
  await loadLaunch(store, session_id);
  const seen = new Set<string>();
  for (let at: string | null = session_id; at !== null && !seen.has(at); ) {
    if (at === ancestor && session_id !== ancestor) return session_id;
    seen.add(at);
    at = (await store.has(at)) ? (await store.metadata(at)).parent_id : null;
  }
  throw new DelegationError(`Session '${session_id}' is not one that you started.`, {
    code: 'SESSION_NOT_FOUND',
    origin: session_id,
  });
}

function answeredAlready(question_id: string): DelegationError {
  return new DelegationError(`The question ${question_id} has been answered already.`, {
    code: 'QUESTION_ANSWERED',
  });
}
