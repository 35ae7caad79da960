import { type Liveness, type Provider, QuotaExceededError, RateLimitError } from '@amplifier/core';
import { openSessionStore, type Shelf, type SqlSessionStore } from '@amplifier/sessions';
import { TempWorkspace, VirtualClock } from '@amplifier/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GATE_LEASE_MS, GATE_MEMORY_MS, GATE_STEADY_MS } from '../defaults.js';
import { type GatePass, ProviderGates } from './provider-gates.js';

const identity = { host: 'test', boot: null, namespace: null, start: null };
const turnedAway = new RateLimitError('vendor answered 429: slow down', { status_code: 429, retry_after: 4 });

describe('gates before providers', () => {
  const dead = new Set<number>();
  let clock: VirtualClock;
  let folder: TempWorkspace;
  let stores: SqlSessionStore[];
  beforeEach(async () => {
    clock = new VirtualClock();
    folder = await TempWorkspace.create();
    stores = [];
    dead.clear();
  });
  afterEach(async () => {
    for (const store of stores) await store.close();
    await folder[Symbol.asyncDispose]();
  });

  /** The gates as one process has them. */
  async function gatesOf(pid: number): Promise<ProviderGates> {
    const liveness: Liveness = {
      self: { pid, ...identity },
      isAlive: (other) => !dead.has(other.pid),
    };
    const store = await openSessionStore(folder.resolve('record.db'), { clock, liveness });
    stores.push(store);
    return new ProviderGates(store.shelf, clock);
  }

  const provider = (concurrency: number | null, account = 'vendor host mark') =>
    ({ name: 'vendor', quota: { account, concurrency } }) as unknown as Provider;

  /** Somebody at a gate. */
  function arrive(pass: GatePass, signal?: AbortSignal) {
    const told: string[] = [];
    const state = { told, pass, isIn: false, failure: null as unknown };
    const onWait = ({ until, reason }: { until: number | null; reason: string }) =>
      void told.push(`${until === null ? '' : `${(until - clock.now()) / 1000} s: `}${reason}`);
    pass.enter({ signal, onWait, onProgress: () => {} }).then(
      () => {
        state.isIn = true;
      },
      (error) => {
        state.failure = error;
      },
    );
    return state;
  }

  const settled = async () => {
    for (let round = 0; round < 60; round++) await new Promise((resolve) => setImmediate(resolve));
  };

  it('are passed without a write where no number is set and nobody was turned away', async () => {
    const gates = await gatesOf(1);
    const before = stores[0]?.counts.commits;
    for (let call = 0; call < 20; call++) {
      const one = gates.passFor(provider(null), 'large');
      await one.enter({ onWait: () => {}, onProgress: () => {} });
      one.leave(call % 2 === 0 ? null : new QuotaExceededError('no money'));
    }
    expect(stores[0]?.counts.commits).toBe(before);
  });

  it('leave no timer behind that would keep a process whose calls have ended', async () => {
    const pass = (await gatesOf(1)).passFor(provider(2), 'large');
    await pass.enter({ onWait: () => {}, onProgress: () => {} });
    await settled();
    const underWay = clock.pending;
    pass.leave();
    await settled();
    expect(clock.pending).toBeLessThan(underWay);
  });

  it('let so many calls of all processes through at once, first come, first served', async () => {
    const [one, other] = [await gatesOf(1), await gatesOf(2)];
    const calls = [one, one, other, one].map((gates) => gates.passFor(provider(2), 'large'));
    const arrived = [];
    for (const pass of calls) {
      arrived.push(arrive(pass));
      await settled();
    }
    expect(arrived.map(({ isIn }) => isIn)).toEqual([true, true, false, false]);
    expect(arrived[2]?.told).toEqual(['2 at a time']);
    calls[0]?.leave();
    await settled();
    expect(arrived.filter(({ isIn }) => isIn)).toHaveLength(3);
    calls[1]?.leave(new Error('It failed in a way of its own.'));
    await settled();
    expect(arrived.every(({ isIn }) => isIn)).toBe(true);
  });

  it('give the places of one that died, or fell silent, to those who wait', async () => {
    const [one, other, third] = [await gatesOf(1), await gatesOf(2), await gatesOf(3)];
    await one.passFor(provider(1), 'large').enter({ onWait: () => {}, onProgress: () => {} });
    const second = arrive(other.passFor(provider(1), 'large'));
    await settled();
    expect(second.isIn).toBe(false);
    dead.add(1);
    await clock.advance(1_000);
    await settled();
    expect(second.isIn).toBe(true);
    // The second one lives and says so. Then its writes fail, and nobody hears of it.
    const waiting = arrive(third.passFor(provider(1), 'large'));
    const wait = async () => {
      for (let time = 0; time < GATE_LEASE_MS * 1.5; time += GATE_LEASE_MS / 3) {
        await clock.advance(GATE_LEASE_MS / 3);
        await settled();
      }
    };
    await wait();
    expect(waiting.isIn).toBe(false);
    vi.spyOn(stores[1]?.shelf as Shelf, 'change').mockRejectedValue(new Error('It hangs.'));
    await wait();
    expect(waiting.isIn).toBe(true);
  });

  it('make everybody who asks the same model wait for as long as the provider asked', async () => {
    const [one, other] = [await gatesOf(1), await gatesOf(2)];
    const first = one.passFor(provider(null), 'large');
    await first.enter({ onWait: () => {}, onProgress: () => {} });
    first.leave(turnedAway);
    await settled();
    const calls = [one, one, other, other].map((gates) => arrive(gates.passFor(provider(null), 'large')));
    const small = arrive(one.passFor(provider(null), 'small'));
    const elsewhere = arrive(one.passFor(provider(null, 'vendor host other'), 'large'));
    const stop = new AbortController();
    const impatient = arrive(other.passFor(provider(null), 'large'), stop.signal);
    await settled();
    expect([small.isIn, elsewhere.isIn, ...calls.map(({ isIn }) => isIn)]).toEqual([
      ...[true, true],
      ...[false, false, false, false],
    ]);
    expect(calls[2]?.told).toEqual(['4 s: vendor answered 429: slow down']);
    stop.abort();
    await settled();
    expect(impatient.failure).toMatchObject({ code: 'ABORTED' });
    await clock.advance(4_000);
    await settled();
    // With care: one at a time, and later one more with each that succeeds.
    const inside = () => calls.filter(({ isIn }) => isIn);
    expect(inside()).toHaveLength(1);
    inside()[0]?.pass.leave();
    await settled();
    expect(inside()).toHaveLength(2);
    await clock.advance(GATE_STEADY_MS);
    inside()[1]?.pass.leave();
    await settled();
    expect(inside()).toHaveLength(4);
    for (const call of inside()) call.pass.leave();
    await clock.advance(GATE_MEMORY_MS);
    const later = [one, other, one].map((gates) => arrive(gates.passFor(provider(null), 'large')));
    await settled();
    expect(later.every(({ isIn }) => isIn)).toBe(true);
  });
});
