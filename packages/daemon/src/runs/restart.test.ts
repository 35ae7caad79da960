import { describe, expect, it } from 'vitest';
import { RunBench } from '../../test-support/run-bench.js';
import { call, delegate, script } from '../../test-support/run-profile.js';

const write = (file: string) => call('write_file', { file_path: file, content: 'x' });
const PARKED = script(write('a.txt'), '!say Interrupted.', write('a.txt'), '!say Done.');

const continued = (bench: RunBench, id: string, run_id: string, body: object = {}) =>
  bench.daemon.post(`/api/v1/sessions/${id}/runs/${run_id}/continue`, body);

describe('after a restart', () => {
  it('a run that was cut off is interrupted, and goes on when it is told to', async () => {
    await using bench = await RunBench.start();
    const id = await bench.session();
    const { run_id } = (await bench.run(id, script(write('a.txt'), write('a.txt'), '!say Done.'))).body;
    const { approval_id } = await bench.approval(id);
    await bench.restart();
    const cut = await bench.ended(id, run_id);
    expect(cut).toMatchObject({ status: 'interrupted', error: { code: 'INTERRUPTED' } });
    expect((await bench.daemon.get(`/api/v1/sessions/${id}`)).body).toMatchObject({
      status: 'active',
      interrupted: true,
    });
    const pending = await bench.approval(id);
    expect(pending.approval_id).toBe(approval_id);
    await bench.answer(id, approval_id);
    const { body } = await continued(bench, id, run_id, { wait: 60 });
    expect(body).toMatchObject({ kind: 'continue', continued_from: run_id, status: 'completed' });
    const names = (await bench.events(id)).filter(({ name }) => name === 'question:asked');
    expect(names).toHaveLength(1);
    expect((await continued(bench, id, run_id)).body.code).toBe('RUN_NOT_INTERRUPTED');
    expect((await continued(bench, id, body.run_id)).body.code).toBe('RUN_NOT_INTERRUPTED');
  });

  it('goes on by itself where the policy says so', async () => {
    const runs = { on_restart: 'continue' };
    await using bench = await RunBench.start({ runs });
    const id = await bench.session();
    const { run_id } = (await bench.run(id, script(write('a.txt'), write('a.txt'), '!say Done.'))).body;
    const { approval_id } = await bench.approval(id);
    await bench.restart({ runs });
    await bench.answer(id, approval_id);
    expect(await bench.ended(id, run_id)).toMatchObject({ status: 'completed', attempts: 1 });
    const started = (await bench.events(id)).filter(({ data }) => data.run_id === run_id);
    expect(started.map(({ name }) => name)).toEqual([
      'run:queued',
      'run:started',
      'run:started',
      'run:ended',
    ]);
  });

  it('what waited in line is run, in order', async () => {
    await using bench = await RunBench.start();
    const id = await bench.session();
    await bench.run(id, PARKED);
    await bench.approval(id);
    const second = (await bench.run(id, '!say Second.')).body.run_id;
    const third = (await bench.run(id, '!say Third.')).body.run_id;
    await bench.restart();
    expect((await bench.ended(id, third)).outcome.text).toBe('Third.');
    expect((await bench.ended(id, second)).outcome.text).toBe('Second.');
  });

  it('a run that was to stop has stopped', async () => {
    await using bench = await RunBench.start({ runs: { on_restart: 'continue' } });
    const id = await bench.session();
    const { run_id } = (await bench.run(id, PARKED)).body;
    await bench.approval(id);
    await bench.daemon.post(`/api/v1/sessions/${id}/runs/${run_id}/cancel`, { mode: 'graceful', by: 'ada' });
    await bench.restart({ runs: { on_restart: 'continue' } });
    expect(await bench.ended(id, run_id)).toMatchObject({ status: 'cancelled', outcome: { by: 'ada' } });
  });

  it('children that had ended are not run again, and the others are brought to their end', async () => {
    const runs = { on_restart: 'continue' };
    await using bench = await RunBench.start({ runs });
    const id = await bench.session();
    const done = delegate({ agent: 'scout', instruction: '!say Seen.' });
    const asks = delegate({
      agent: 'scribe',
      instruction: script(write('c.txt'), write('c.txt'), '!say Written.'),
    });
    const { run_id } = (await bench.run(id, script([done, asks], '!say Both.', '!say Both.'))).body;
    const { approval_id, session_id } = await bench.approval(id);
    await bench.restart({ runs });
    await bench.answer(id, approval_id);
    expect(await bench.ended(id, run_id)).toMatchObject({ status: 'completed', outcome: { text: 'Both.' } });
    const children = (await bench.daemon.get(`/api/v1/sessions/${id}/children`)).body;
    expect(children.map((each: { status: string }) => each.status)).toEqual(['completed', 'completed']);
    expect(children.map((each: { session_id: string }) => each.session_id)).toContain(session_id);
  });
});
