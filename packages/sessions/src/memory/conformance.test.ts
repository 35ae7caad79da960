import { VirtualClock } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import {
  type QueueHarness,
  runQueueConformance,
  type StoreHarness,
  sessionStoreConformance,
} from '../conformance/index.js';
import type { Liveness, ProcessIdentity } from '../process-identity.js';
import { MemoryPlace } from './memory-place.js';
import { MemoryRunQueue, MemoryRuns } from './memory-run-queue.js';
import { MemorySessionStore } from './memory-session-store.js';

/** Processes of a test: each is a name, alive until it is killed. */
function pretendProcesses(): { livenessOf(name: string): Liveness; kill(name: string): Promise<void> } {
  const dead = new Set<string | null>();
  const isAlive = ({ start }: ProcessIdentity) => !dead.has(start);
  const livenessOf = (start: string) => ({
    self: { pid: 1, start, host: 'test', boot: null, namespace: null },
    isAlive,
  });
  return { livenessOf, kill: async (name) => void dead.add(name) };
}

async function storeHarness(): Promise<StoreHarness> {
  const place = new MemoryPlace();
  const { livenessOf, kill } = pretendProcesses();
  const stores: MemorySessionStore[] = [];
  return {
    async open(process = 'main') {
      const store = new MemorySessionStore({ place, liveness: livenessOf(process) });
      stores.push(store);
      return store;
    },
    kill,
    async [Symbol.asyncDispose]() {
      for (const store of stores) await store.close();
    },
  };
}

async function queueHarness(): Promise<QueueHarness> {
  const { livenessOf, kill } = pretendProcesses();
  const clock = new VirtualClock();
  const runs = new MemoryRuns(clock);
  const queues: MemoryRunQueue[] = [];
  const [leaseMs, maxAttempts] = [10_000, 3];
  return {
    leaseMs,
    maxAttempts,
    async open(process = 'main') {
      const liveness = livenessOf(process);
      const queue = new MemoryRunQueue({ runs, clock, leaseMs, maxAttempts, liveness });
      queues.push(queue);
      return queue;
    },
    kill,
    advance: (ms) => clock.advance(ms),
    async [Symbol.asyncDispose]() {
      for (const queue of queues) await queue.close();
    },
  };
}

describe('MemorySessionStore', () => {
  for (const { name, run } of sessionStoreConformance) it(name, () => run(storeHarness));

  it('keeps what was said, whatever becomes of the objects it was said with', async () => {
    const store = new MemorySessionStore();
    const said = { type: 'text' as const, text: 'as it was' };
    const log = await store.create({}, { messages: [{ role: 'user', content: [said] }] });
    said.text = 'changed';
    const [read] = await store.messages(log.session_id);
    expect(read?.content).toEqual([{ type: 'text', text: 'as it was' }]);
    if (read) read.content = 'changed';
    expect((await store.messages(log.session_id))[0]?.content).toEqual([{ type: 'text', text: 'as it was' }]);
  });
});

describe('MemoryRunQueue', () => {
  for (const { name, run } of runQueueConformance) it(name, () => run(queueHarness));
});
