import { randomUUID } from 'node:crypto';
import { AbortError, type Clock, type ProcessIdentity, sleep } from '@amplifier/core';
import type { Shelf } from '@amplifier/sessions';
import { GATE_CHECK_MS, GATE_LEASE_MS, GATE_MEMORY_MS, GATE_STEADY_MS } from '../defaults.js';

export const GATES = 'provider gates';

/** Why a call waits, and until when; null: until others have ended. */
export interface Obstacle {
  until: number | null;
  reason: string;
}

export interface Waiting {
  signal?: AbortSignal | undefined;
  /** Told when there is something new to say about it. */
  onWait: (obstacle: Obstacle) => void;
  /** It waits, and is not stuck. */
  onProgress: () => void;
  /** It was turned away before: it goes before those who were not. */
  isAgain?: boolean;
}

/** Calls under way in one process. */
interface Holder {
  process: ProcessIdentity;
  count: number;
  until: number;
}

/** A gate as the record has it. */
interface State {
  not_before: number;
  reason: string;
  /** Calls at once, of all processes, since the provider turned some away; null: it did not. */
  limit: number | null;
  holders: Record<string, Holder>;
}

const OPEN: State = { not_before: 0, reason: '', limit: null, holders: {} };

/**
 * Lets calls that count against one limit of a provider through, so many at once and none before the time that the provider
 * asked for, over all processes that share the record. Where no number is configured and nobody was turned away, it is passed
 * without a look at the record.
 */
export class ProviderGate {
  readonly #key: string;
  readonly #configured: number | null;
  readonly #shelf: Shelf;
  readonly #clock: Clock;
  readonly #id = randomUUID();
  /** Those who wait here, first come, first served. Only the first one asks the record. */
  readonly #line: symbol[] = [];
  readonly #waiters = new Set<() => void>();
  /** Calls of this process under way. The record knows of them where there is something to count. */
  #active = 0;
  /** Whether it was open when the record was looked at last; null when that must be done again. */
  #wasOpen: Promise<boolean> | null = null;
  /** The answer to that, once it is there. */
  #isKnownOpen = false;
  #changes = 0;
  #seen: Obstacle | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #stopRenewing: (() => void) | null = null;

  /** `configured`: calls at once; null for any number. */
  constructor(key: string, configured: number | null, shelf: Shelf, clock: Clock) {
    this.#key = key;
    this.#configured = configured;
    this.#shelf = shelf;
    this.#clock = clock;
  }

  /** Something may have changed in the record. */
  look(): void {
    this.#wasOpen = null;
    this.#isKnownOpen = false;
    this.#changes++;
    for (const wake of this.#waiters) wake();
  }

  /** Lets a call through at once where nobody waits and nothing is in the way; false where it has to `enter`. */
  pass(): boolean {
    if (!this.#isKnownOpen || this.#line.length > 0) return false;
    this.#active++;
    return true;
  }

  /** Resolves when the call may be made. Rejects with an `AbortError` when the signal aborts. */
  async enter(waiting: Waiting): Promise<void> {
    if (this.#line.length === 0 && (await this.#isOpen())) {
      this.#active++;
      return;
    }
    const place = Symbol();
    if (waiting.isAgain) this.#line.unshift(place);
    else this.#line.push(place);
    try {
      for (let said: Obstacle | null = null; ; ) {
        const changes = this.#changes;
        if (this.#line[0] === place) {
          this.#seen = await this.#take();
          if (!this.#seen) return;
        }
        const seen = this.#seen;
        if (seen && (seen.reason !== said?.reason || seen.until !== said.until)) waiting.onWait(seen);
        said = seen;
        waiting.onProgress();
        if (changes === this.#changes) await this.#news(seen?.until ?? null, waiting.signal);
        if (waiting.signal?.aborted) throw new AbortError('The call was cancelled while it waited in line.');
      }
    } finally {
      this.#line.splice(this.#line.indexOf(place), 1);
      this.look();
    }
  }

  /** A call has ended. Some time after others were turned away, each that succeeds lets one more through than before. */
  leave(succeeded: boolean): void {
    this.#active--;
    // A timer would keep the process until it is due.
    if (this.#active === 0) this.#endRenewing();
    if (this.#isKnownOpen) return;
    this.#later(async () => {
      if (await this.#isOpen()) return;
      await this.#change((state) => {
        const isSteady = this.#shelf.now() < state.not_before + GATE_STEADY_MS;
        if (succeeded && state.limit !== null && !isSteady) state.limit++;
      });
    });
  }

  /** The provider wants to be left alone for so long: everybody waits, and then no more go at once than were not turned away. */
  shut(seconds: number, reason: string): void {
    const until = this.#shelf.now() + seconds * 1000;
    this.#later(() =>
      this.#change((state) => {
        state.limit = Math.max(1, Math.min(state.limit ?? Number.POSITIVE_INFINITY, heldBy(state, 0)));
        if (until > state.not_before) Object.assign(state, { not_before: until, reason });
        this.#renew();
      }, true),
    );
  }

  async #isOpen(): Promise<boolean> {
    if (this.#configured !== null) return false;
    this.#wasOpen ??= this.#shelf.get(GATES, this.#key).then((state) => state === null);
    const asked = this.#wasOpen;
    try {
      const isOpen = await asked;
      this.#isKnownOpen = isOpen && this.#wasOpen === asked;
      return isOpen;
    } catch (error) {
      this.#wasOpen = null;
      throw error;
    }
  }

  /** Takes a place, unless something is in the way. */
  #take(): Promise<Obstacle | null> {
    return this.#inOrder(async () => {
      const known = await this.#shelf.get<State>(GATES, this.#key);
      const obstacle = known && this.#obstacle(known);
      if (known && obstacle && (obstacle.until !== null || !(await this.#dropDead(known)))) return obstacle;
      const found = await this.#change((state) => {
        const inTheWay = this.#obstacle(state);
        if (!inTheWay) this.#hold(state, this.#active + 1);
        return inTheWay;
      });
      if (found) return found;
      this.#active++;
      this.#renew();
      return null;
    });
  }

  #obstacle(state: State): Obstacle | null {
    const now = this.#shelf.now();
    if (now < state.not_before) return { until: state.not_before, reason: state.reason };
    const any = Number.POSITIVE_INFINITY;
    const most = Math.min(state.limit ?? any, this.#configured ?? any);
    return heldBy(state, now) < most ? null : { until: null, reason: `${most} at a time` };
  }

  #hold(state: State, count: number): void {
    const { [this.#id]: _, ...others } = state.holders;
    const own = { process: this.#shelf.self, count, until: this.#shelf.now() + GATE_LEASE_MS };
    state.holders = count === 0 ? others : { ...others, [this.#id]: own };
  }

  /** True when places became free because those who had them are gone. */
  async #dropDead({ holders }: State): Promise<boolean> {
    const gone: string[] = [];
    for (const [id, { process }] of Object.entries(holders))
      if (id !== this.#id && (await this.#shelf.isGone(process))) gone.push(id);
    if (gone.length > 0)
      await this.#change((state) => {
        for (const id of gone) delete state.holders[id];
      });
    return gone.length > 0;
  }

  /** Nothing is written where there is nothing yet, unless it is to be made. */
  #change<T>(change: (state: State) => T, makes = this.#configured !== null): Promise<T> {
    const changed = (found: State | null) => {
      const now = this.#shelf.now();
      const state = structuredClone(found ?? OPEN);
      this.#hold(state, this.#active);
      for (const [id, { until }] of Object.entries(state.holders)) if (until <= now) delete state.holders[id];
      const result = change(state);
      if (!found && !makes) return { result };
      const ends = Object.values(state.holders).map(({ until }) => until);
      // One that was shut is forgotten a while after that, and then everybody passes again.
      const until = state.limit === null ? Math.max(now, ...ends) : state.not_before + GATE_MEMORY_MS;
      return { body: state, until, result };
    };
    // The state is about running processes only: a power cut ends them all.
    return this.#shelf.change<State, T>(GATES, this.#key, changed, 'process');
  }

  /** Says as long as calls are under way that this process is there. */
  #renew(): void {
    if (this.#stopRenewing || this.#active === 0) return;
    this.#stopRenewing = this.#clock.after(GATE_LEASE_MS / 3, () => {
      this.#stopRenewing = null;
      this.#later(() => this.#change(() => {}));
      this.#renew();
    });
  }

  #endRenewing(): void {
    this.#stopRenewing?.();
    this.#stopRenewing = null;
  }

  /** One after the other: each change writes how many calls this process has under way. */
  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Nobody waits for it. Where it fails the next change makes it good, or else the lease runs out. */
  #later(work: () => Promise<unknown>): void {
    void this.#inOrder(work).catch(() => {});
  }

  /** Until something has changed, or it is time to look again. */
  async #news(until: number | null, signal: AbortSignal | undefined): Promise<void> {
    const woken = new AbortController();
    const wake = () => woken.abort();
    this.#waiters.add(wake);
    const stop = signal ? AbortSignal.any([signal, woken.signal]) : woken.signal;
    const left = until === null ? GATE_CHECK_MS : until - this.#shelf.now();
    await sleep(this.#clock, Math.max(1, Math.min(GATE_CHECK_MS, left)), stop).catch(() => {});
    this.#waiters.delete(wake);
  }
}

function heldBy({ holders }: State, now: number): number {
  return Object.values(holders).reduce((sum, { count, until }) => sum + (until > now ? count : 0), 0);
}
