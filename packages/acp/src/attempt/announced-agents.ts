import { type Clock, isPlainObject, type JsonObject, within } from '@amplifier/core';
import { type ObservedChild, observeChild, type Turn } from '@amplifier/delegation';
import type { SessionStore } from '@amplifier/sessions';
import { MAX_ANNOUNCED_AGENTS, SUB_AGENT_SILENCE_MS } from '../defaults.js';
import { TurnMirror } from '../engine/turn-mirror.js';
import { TurnFold } from './turn-fold.js';

interface Announced {
  /** Its place in the tree, and what of it is still to be written there, in order. */
  work: Promise<{ child: ObservedChild; mirror: TurnMirror; fold: TurnFold }>;
  name: string;
  state: State;
}

/** `unsaid` until the agent says that it works. */
type State = { is: 'unsaid' | 'working' } | End;
interface End {
  is: 'completed' | 'failed' | 'cancelled';
  reason?: string;
}

type AboveTurn = Pick<Turn, 'launch' | 'log' | 'observe' | 'logs' | 'claim'>;

/**
 * The sub-agents that an agent announces, as nodes of our tree: each has a session of its own below the agent's, with what it said
 * and did. Agents tell of them in two forms of a proposal that is still open; nothing outside this file knows either.
 */
export class AnnouncedAgents {
  readonly #store: SessionStore;
  readonly #above: AboveTurn;
  /** By the agent's id of its session. */
  readonly #known = new Map<string, Announced>();
  #failure: unknown = null;
  #heard: () => void = () => {};

  constructor(store: SessionStore, above: AboveTurn) {
    this.#store = store;
    this.#above = above;
  }

  /** Did the agent announce a sub-agent with this session? */
  has(sessionId: string): boolean {
    return this.#known.has(sessionId);
  }

  /** True when the update was about a sub-agent, or from one, and not about the turn itself. */
  take(sessionId: string, update: JsonObject): boolean {
    const kind = update.sessionUpdate;
    this.#heard();
    if (kind === 'subagent_update' || kind === 'subagent_spawned' || kind === 'subagent_state_update') {
      this.#announce(sessionId, update);
      return true;
    }
    const announced = this.#known.get(sessionId);
    if (!announced) return false;
    this.#then(announced, ({ fold }) => fold.take(update));
    return true;
  }

  /**
   * Waits for those that still work when their agent has answered, as long as something is heard of them. True when all have ended:
   * those that are left are given up, with the process that runs them.
   */
  async settle(clock: Clock, signal: AbortSignal): Promise<boolean> {
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    while (this.unfinished.length > 0 && !signal.aborted) {
      const heard = new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
      const { working, unsaid } = SUB_AGENT_SILENCE_MS;
      const patience = this.unfinished.some(({ state }) => state.is === 'working') ? working : unsaid;
      const { done } = await within(Promise.race([heard, stopped]), patience, clock);
      if (!done) return false;
    }
    return this.unfinished.length === 0;
  }

  /** Those whose end the agent has not told. */
  get unfinished(): readonly Pick<Announced, 'name' | 'state'>[] {
    return [...this.#known.values()].filter(({ state }) => !hasEnded(state));
  }

  /** Ends all of them. Throws when something of them could not be written. */
  async close(stopped: boolean): Promise<void> {
    await Promise.all(
      [...this.#known.values()].map(async ({ work, state }) => {
        const { child, mirror, fold } = await work;
        const { is, reason } = hasEnded(state) ? state : stopped ? GIVEN_UP : NEVER_TOLD;
        mirror.concluded(fold.text, is === 'completed');
        await mirror.flush();
        await child.log.repairToolCalls('The sub-agent ended before this call had a result.');
        await child.finish(fold.text, is, reason);
      }),
    );
    if (this.#failure !== null) throw this.#failure;
  }

  #announce(parent: string, update: JsonObject): void {
    const id = String(update.subagentSessionId ?? update.sessionId ?? '');
    const known = this.#known.get(id);
    const state = stateIn(update);
    if (known) {
      if (state) known.state = state;
      return;
    }
    if (id === '' || (state && hasEnded(state)) || this.#known.size >= MAX_ANNOUNCED_AGENTS) return;
    const name = nameOf(update);
    const told = [update.prompt, update.task, update.description, update.title].find(
      (text) => typeof text === 'string' && text !== '',
    );
    const work = this.#open(parent, name, String(told ?? name));
    work.catch((error) => {
      this.#failure ??= error;
    });
    this.#known.set(id, { work, name, state: state ?? { is: 'unsaid' } });
  }

  async #open(parent: string, name: string, instruction: string) {
    const above = await this.#known.get(parent)?.work;
    const { observe } = this.#above;
    const turn = { ...this.#above, ...above?.child };
    const child = await observeChild(this.#store, turn, { name, instruction });
    const mirror = new TurnMirror({ ...child, observe });
    const fold = new TurnFold(
      {
        onText: (text) => mirror.text(text),
        onThought: (text) => mirror.thought(text),
        onToolStart: (call, said) => mirror.toolStarted(call, said),
        onToolEnd: (call) => mirror.toolEnded(call),
        onPlan: () => {},
        onCost: () => {},
      },
      this.#store.answersFolder(child.launch.session_id),
    );
    return { child, mirror, fold };
  }

  #then(announced: Announced, act: (opened: Awaited<Announced['work']>) => void): void {
    announced.work = announced.work.then((opened) => {
      act(opened);
      return opened;
    });
    announced.work.catch((error) => {
      this.#failure ??= error;
    });
  }
}

const GIVEN_UP: End = { is: 'cancelled' };
const NEVER_TOLD: End = {
  is: 'failed',
  reason: 'Its agent ended the turn and never told how this sub-agent ended.',
};

function hasEnded(state: State): state is End {
  return state.is !== 'working' && state.is !== 'unsaid';
}

/** What an update says of how it is; null when it says nothing. One that is idle may be given more to do, and then works again. */
function stateIn({ sessionUpdate, state }: JsonObject): State | null {
  if (sessionUpdate === 'subagent_spawned') return { is: 'working' };
  const told = isPlainObject(state) ? state : { state };
  const name = told.stopReason ?? told.state;
  if (typeof name !== 'string' || name === 'unknown') return null;
  if (name === 'running' || name === 'requires_action') return { is: 'working' };
  if (name === 'cancelled') return { is: 'cancelled' };
  if (name === 'end_turn' || name === 'idle' || name === 'completed') return { is: 'completed' };
  const { message } = isPlainObject(told.error) ? told.error : {};
  return {
    is: 'failed',
    reason: typeof message === 'string' ? message : (FAILED[name] ?? `It ended with: ${name}`),
  };
}

const FAILED: Readonly<Record<string, string>> = {
  refusal: 'Its model would not do it.',
  max_tokens: 'It reached the most tokens of one answer.',
  max_turn_requests: 'It reached the most model calls of one turn.',
  disconnected: 'The agent lost it.',
};

/** Names go into session ids and lists, so they are short and plain. */
function nameOf({ name, title }: JsonObject): string {
  const told = [name, title].find((text) => typeof text === 'string' && text !== '');
  return String(told ?? 'agent').slice(0, 60);
}
