import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunBench } from '../../test-support/run-bench.js';
import { call, delegate, script } from '../../test-support/run-profile.js';

let bench: RunBench;
beforeAll(async () => {
  bench = await RunBench.start();
});
afterAll(() => bench[Symbol.asyncDispose]());

const look = (path: string) => call('read_file', { file_path: path });
const child = (instruction: string, agent = 'scout') => delegate({ agent, instruction });

async function limited(instruction: string, limits: object) {
  const id = await bench.session();
  const { body } = await bench.run(id, instruction, { limits, wait: 60 });
  return { id, run: body };
}

describe('a run is held to', () => {
  it('its model calls', async () => {
    const { id, run } = await limited(script(look('notes.md'), look('notes.md'), '!say Done.'), {
      max_turns: 2,
    });
    expect(run).toMatchObject({ status: 'limit', outcome: { limit: { kind: 'turns' }, turn_count: 2 } });
    const again = await bench.run(id, '!say Fresh.', { wait: 60 });
    expect(again.body.status).toBe('completed');
  });

  it('its tokens, this run alone', async () => {
    const { id, run } = await limited('!say Too much.', { max_tokens: 50 });
    expect(run).toMatchObject({ status: 'limit', outcome: { limit: { kind: 'tokens' } } });
    const again = await bench.run(id, '!say Fine.', { limits: { max_tokens: 100_000 }, wait: 60 });
    expect(again.body.status).toBe('completed');
  });

  it('its cost', async () => {
    const { run } = await limited('!say Dear.', { max_cost_usd: '0' });
    expect(run).toMatchObject({ status: 'limit', outcome: { limit: { kind: 'cost' } } });
  });

  it('its time', async () => {
    const { run } = await limited('!hang', { timeout: 0.05 });
    expect(run).toMatchObject({ status: 'limit', outcome: { limit: { kind: 'time' } } });
  });

  it('a sign of life', async () => {
    const { run } = await limited('!hang', { stall: 0.05 });
    expect(run).toMatchObject({ status: 'stalled', outcome: { error: { code: 'STALLED' } } });
  });

  it('its depth', async () => {
    const { id, run } = await limited(script(child('!say Deep.'), '!say Done.'), { max_depth: 0 });
    expect(run.status).toBe('completed');
    expect((await bench.daemon.get(`/api/v1/sessions/${id}/children`)).body).toEqual([]);
    expect(JSON.stringify(bench.model.exchanges.at(-1)?.body)).toContain('limited to 0 levels');
  });

  it('its children, this run alone', async () => {
    const two = script([child('!say A.'), child('!say B.')], '!say Done.');
    const { id, run } = await limited(two, { max_children: 1 });
    expect(run.status).toBe('completed');
    expect((await bench.daemon.get(`/api/v1/sessions/${id}/children`)).body).toHaveLength(1);
    await bench.run(id, two, { limits: { max_children: 1 }, wait: 60 });
    expect((await bench.daemon.get(`/api/v1/sessions/${id}/children`)).body).toHaveLength(2);
  });

  it('how many children work at once', async () => {
    const id = await bench.session();
    const asks = (file: string) => script(call('write_file', { file_path: file, content: 'x' }), '!say Ok.');
    const three = ['1', '2', '3'].map((n) => child(asks(`c${n}.txt`), 'scribe'));
    const { run_id } = (await bench.run(id, script(three, '!say Done.'), { limits: { max_concurrency: 1 } }))
      .body;
    const seen: string[] = [];
    for (let at = 0; at < 3; at++) {
      const { approval_id } = await bench.approval(id, seen);
      const { body } = await bench.daemon.get(`/api/v1/sessions/${id}/approvals?status=pending`);
      expect(body).toHaveLength(1);
      seen.push(approval_id);
      await bench.answer(id, approval_id);
    }
    expect((await bench.ended(id, run_id)).status).toBe('completed');
  });

  it('limits that are written as such', async () => {
    const id = await bench.session();
    for (const limits of [{ max_turns: 0 }, { max_cost_usd: 'much' }, { max_speed: 1 }]) {
      expect((await bench.run(id, '!say x', { limits })).body.code).toBe('VALIDATION_FAILED');
    }
  });
});
