import { TempWorkspace, VirtualClock } from '@amplifier/testkit';
import { describe, it } from 'vitest';
import {
  type QueueHarness,
  runQueueConformance,
  type StoreHarness,
  sessionStoreConformance,
} from '../conformance/index.js';
import type { Liveness, ProcessIdentity } from '../process-identity.js';
import { FileRunQueue } from './file-run-queue.js';
import { FileSessionStore } from './file-session-store.js';
import type { Layout } from './layout.js';

/** Processes of a test: each is a name, alive until it is killed. */
function pretendProcesses(): { livenessOf(name: string): Liveness; dead: Set<string> } {
  const dead = new Set<string>();
  const isAlive = ({ start }: ProcessIdentity) => !dead.has(start ?? '');
  const livenessOf = (name: string) => ({
    self: { pid: 1, start: name, host: 'test', boot: null, namespace: null },
    isAlive,
  });
  return { livenessOf, dead };
}

async function storeHarness(layout: Layout): Promise<StoreHarness> {
  const workspace = await TempWorkspace.create();
  const { livenessOf, dead } = pretendProcesses();
  const stores: FileSessionStore[] = [];
  return {
    async open(process = 'main') {
      const folder = workspace.resolve('sessions');
      const store = await FileSessionStore.open({ folder, layout, liveness: livenessOf(process) });
      stores.push(store);
      return store;
    },
    async kill(process) {
      dead.add(process);
    },
    async [Symbol.asyncDispose]() {
      for (const store of stores) await store.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

async function queueHarness(): Promise<QueueHarness> {
  const workspace = await TempWorkspace.create();
  const { livenessOf, dead } = pretendProcesses();
  const clock = new VirtualClock();
  const queues: FileRunQueue[] = [];
  const [leaseMs, maxAttempts] = [10_000, 3];
  return {
    leaseMs,
    maxAttempts,
    async open(process = 'main') {
      const options = { folder: workspace.resolve('queue'), clock, leaseMs, maxAttempts };
      const queue = await FileRunQueue.open({ ...options, liveness: livenessOf(process) });
      queues.push(queue);
      return queue;
    },
    async kill(process) {
      dead.add(process);
    },
    advance: (ms) => clock.advance(ms),
    async [Symbol.asyncDispose]() {
      for (const queue of queues) await queue.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

for (const layout of ['cli', 'daemon'] as const) {
  describe(`FileSessionStore (${layout} layout)`, () => {
    for (const { name, run } of sessionStoreConformance) it(name, () => run(() => storeHarness(layout)));
  });
}

describe('FileRunQueue', () => {
  for (const { name, run } of runQueueConformance) it(name, () => run(queueHarness));
});
