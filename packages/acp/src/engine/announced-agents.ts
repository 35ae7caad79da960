import { isPlainObject, type JsonObject } from '@amplifier/core';
import { type LaunchRecord, type ObservedChild, observeChild, type Turn } from '@amplifier/delegation';
import type { SessionStore } from '@amplifier/sessions';
import { MAX_ANNOUNCED_AGENTS } from '../defaults.js';
import { TurnFold } from './turn-fold.js';
import { TurnMirror } from './turn-mirror.js';

type State = 'completed' | 'failed' | 'cancelled';

interface Announced {
  /** Its place in the tree, and what of it is still to be written there, in order. */
  work: Promise<{ child: ObservedChild; mirror: TurnMirror; fold: TurnFold } | null>;
  state: State | null;
}

/**
 * The sub-agents that an agent announces, as nodes of our tree: each has a session of its own below the agent's, with what it said
 * and did. Agents tell of them in two forms of a proposal that is still open; nothing outside this file knows either.
 */
export class AnnouncedAgents {
  readonly #store: SessionStore;
  readonly #above: { launch: LaunchRecord; turn: Turn };
  /** By the agent's id of its session. */
  readonly #known = new Map<string, Announced>();
  #failure: unknown = null;

  constructor(store: SessionStore, launch: LaunchRecord, turn: Turn) {
    this.#store = store;
    this.#above = { launch, turn };
  }

  /** True when the update was about a sub-agent, or from one, and not about the turn itself. */
  take(sessionId: string, update: JsonObject): boolean {
    const kind = update.sessionUpdate;
    if (kind === 'subagent_update' || kind === 'subagent_spawned' || kind === 'subagent_state_update') {
      this.#announce(sessionId, update);
      return true;
    }
    const announced = this.#known.get(sessionId);
    if (!announced) return false;
    this.#then(announced, ({ fold }) => fold.take(update));
    return true;
  }

  /** Ends those that the agent left without an end. Throws when something of them could not be written. */
  async close(stopped: boolean): Promise<void> {
    await Promise.all(
      [...this.#known.values()].map(async (announced) => {
        const opened = await announced.work;
        if (!opened) return;
        const { child, mirror, fold } = opened;
        const state = announced.state ?? (stopped ? 'cancelled' : 'completed');
        mirror.concluded(fold.text, state === 'completed');
        await mirror.flush();
        await child.log.repairToolCalls('The sub-agent ended before this call had a result.');
        await child.finish(fold.text, state);
      }),
    );
    if (this.#failure !== null) throw this.#failure;
  }

  #announce(parent: string, update: JsonObject): void {
    const id = String(update.subagentSessionId ?? update.sessionId ?? '');
    const known = this.#known.get(id);
    const ended = endOf(update.state);
    if (known) {
      known.state = ended;
      return;
    }
    if (id === '' || ended !== null || this.#known.size >= MAX_ANNOUNCED_AGENTS) return;
    const name = nameOf(update);
    const told = [update.prompt, update.task, update.description, update.title].find(
      (text) => typeof text === 'string' && text !== '',
    );
    const work = this.#open(parent, name, String(told ?? name));
    work.catch((error) => {
      this.#failure ??= error;
    });
    this.#known.set(id, { work, state: null });
  }

  async #open(parent: string, name: string, instruction: string) {
    const above = await this.#known.get(parent)?.work;
    const launch = above?.child.launch ?? this.#above.launch;
    const turn = above ? { ...this.#above.turn, log: above.child.log } : this.#above.turn;
    const child = await observeChild(this.#store, { launch, turn }, { name, instruction });
    const mirror = new TurnMirror(child.launch, { ...this.#above.turn, log: child.log });
    const fold = new TurnFold({
      onText: (text) => mirror.text(text),
      onThought: (text) => mirror.thought(text),
      onToolStart: (call, said) => mirror.toolStarted(call, said),
      onToolEnd: (call) => mirror.toolEnded(call),
      onPlan: () => {},
      onCost: () => {},
    });
    return { child, mirror, fold };
  }

  #then(announced: Announced, act: (opened: NonNullable<Awaited<Announced['work']>>) => void): void {
    announced.work = announced.work.then((opened) => {
      if (opened) act(opened);
      return opened;
    });
    announced.work.catch((error) => {
      this.#failure ??= error;
    });
  }
}

/** Null while it works. One that is idle may be given more to do; then it has not ended after all. */
function endOf(state: unknown): State | null {
  const name = isPlainObject(state) ? (state.stopReason ?? state.state) : state;
  if (name === undefined || name === null || name === 'running' || name === 'requires_action') return null;
  if (name === 'failed' || name === 'disconnected' || name === 'refusal') return 'failed';
  return name === 'cancelled' ? 'cancelled' : 'completed';
}

/** Names go into session ids and lists, so they are short and plain. */
function nameOf({ name, title }: JsonObject): string {
  const told = [name, title].find((text) => typeof text === 'string' && text !== '');
  return String(told ?? 'agent').slice(0, 60);
}
