import assert from 'node:assert/strict';
import { AmplifierError } from '@amplifier/core';
import type { SessionErrorCode } from '@amplifier/sessions';

/** One thing every adapter must do. Run each with a fresh place: `it(name, () => run(makeHarness))`. */
export interface ConformanceCase<Harness extends AsyncDisposable> {
  name: string;
  run(make: () => Promise<Harness>): Promise<void>;
}

export function conformanceCase<Harness extends AsyncDisposable>(
  name: string,
  check: (harness: Harness) => Promise<void>,
): ConformanceCase<Harness> {
  return {
    name,
    async run(make) {
      await using harness = await make();
      await check(harness);
    },
  };
}

export async function refuses(code: SessionErrorCode, work: () => Promise<unknown>): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(AmplifierError.is(error), `expected a refusal with ${code}, got ${String(error)}`);
    assert.equal(error.code, code, error.message);
    return true;
  });
}

/** The first `count` items, after which the iteration is ended. */
export async function take<T>(items: AsyncIterable<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  if (count === 0) return taken;
  for await (const item of items) {
    taken.push(item);
    if (taken.length === count) break;
  }
  return taken;
}
