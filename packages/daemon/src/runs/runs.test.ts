import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunBench } from '../../torture/run-bench.js';

import { RUN_EVENTS } from './run-events.js';

let bench: RunBench;
beforeAll(async () => {
  bench = await RunBench.start();
});
afterAll(() => bench[Symbol.asyncDispose]());

describe('a run', () => {
  it('is taken on with 202, works, and is found with its outcome', async () => {
    const id = await bench.session();
    const taken = await bench.run(id, '!say Hello.');
    expect(taken.status).toBe(202);
    expect(taken.body).toMatchObject({ session_id: id, kind: 'turn', instruction: '!say Hello.' });
    const { run_id } = taken.body;
    expect(taken.headers.get('location')).toBe(`/api/v1/sessions/${id}/runs/${run_id}`);
    const run = await bench.ended(id, run_id);
    expect(run).toMatchObject({
      status: 'completed',
      attempts: 1,
      outcome: { status: 'completed', text: 'Hello.', turn_count: 1, usage: { total_tokens: 15 } },
      error: null,
    });
    expect((await bench.daemon.get(`/api/v1/runs/${run_id}`)).body).toEqual(run);
    expect((await bench.daemon.get(`/api/v1/sessions/${id}`)).body).toMatchObject({ status: 'completed' });
    expect(bench.model.exchanges[0]?.headers.authorization).toBe('Bearer sk-run-test');
    const names = (await bench.events(id))
      .map(({ name }) => name)
      .filter((name) => RUN_EVENTS.includes(name));
    expect(names).toEqual(RUN_EVENTS);
  });
});
