import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openSessionStore } from '@amplifier/sessions';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { delegationBench } from '../test-support/delegation-bench.js';
import { runManyAtOnce } from '../test-support/many-children.js';

const MINUTES = 60_000;
const IDLE = 10_000;

it(
  '1,000 children in parallel complete on files',
  async () => {
    const started = performance.now();
    await runManyAtOnce(1_000, { memory: false });
    console.log(`1,000 children in parallel took ${Math.round(performance.now() - started)} ms on files.`);
  },
  10 * MINUTES,
);

it(
  '1,000 children in parallel complete in memory',
  async () => {
    const started = performance.now();
    await runManyAtOnce(1_000, { memory: true });
    console.log(`1,000 children in parallel took ${Math.round(performance.now() - started)} ms in memory.`);
  },
  10 * MINUTES,
);

it(
  '10,000 idle sessions take less than 100 MB',
  async () => {
    await using workspace = await TempWorkspace.create();
    const folder = workspace.resolve('sessions');
    await makeIdle(folder);
    // A new process finds them, lists all of them and can resume any.
    const before = used();
    await using store = await openSessionStore(`${folder}/record.db`);
    let listed = 0;
    let cursor: string | null | undefined;
    do {
      const page = await store.list({ limit: 1000, ...(cursor ? { cursor } : {}) });
      listed += page.sessions.length;
      cursor = page.next_cursor;
    } while (cursor);
    const megabytes = (used() - before) / 1_048_576;
    console.log(`${IDLE} idle sessions take ${megabytes.toFixed(1)} MB.`);
    expect(listed).toBe(IDLE);
    expect(megabytes).toBeLessThan(100);
  },
  20 * MINUTES,
);

/** Sessions that were made and wait for their first instruction. */
async function makeIdle(folder: string): Promise<void> {
  await using bench = await delegationBench({ folder });
  const request = { plan: bench.rootPlan, cwd: bench.workspace.path, trusted: true } as const;
  for (let made = 0; made < IDLE; made += 100) {
    await Promise.all(
      Array.from({ length: 100 }, () => bench.delegator.create({ ...request, safety_mode: 'write' })),
    );
  }
}

/** Bytes in use after the garbage is gone. */
function used(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
