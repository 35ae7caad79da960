import { readFile } from 'node:fs/promises';
import { RUN_EVENTS } from '@amplifier/host/runs';
import { PICTURE } from '@amplifier/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunBench } from '../../test-support/run-bench.js';
import { call, delegate, script } from '../../test-support/run-profile.js';

let bench: RunBench;
beforeAll(async () => {
  bench = await RunBench.start();
});
afterAll(() => bench[Symbol.asyncDispose]());

/** Asks for approval before it goes on, so that a test can hold it there. */
const parked = (file: string, last = '!say Written.') =>
  script(call('write_file', { file_path: file, content: 'x' }), last);

const runEvents = async (id: string) =>
  (await bench.events(id)).filter(({ name }) => RUN_EVENTS.includes(name)).map(({ name }) => name);

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
    expect(await runEvents(id)).toEqual(RUN_EVENTS);
  });

  it('is waited for when asked, and resumes a session that has ended', async () => {
    const id = await bench.session();
    const first = await bench.run(id, '!say One.', { wait: 60 });
    expect([first.status, first.body.status]).toEqual([200, 'completed']);
    const second = await bench.run(id, '!say Two.', { wait: 60 });
    expect(second.body.outcome.text).toBe('Two.');
    const transcript = (await bench.daemon.get(`/api/v1/sessions/${id}/transcript`)).body;
    expect(transcript.map((line: { role: string }) => line.role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    const sent = JSON.stringify(bench.model.exchanges.at(-1)?.body);
    expect(sent).toContain('One.');
    expect(sent).toContain('You do what you are told.');
  });

  it('shows the model what is attached as data, to a turn and to a child, and reads no file for a caller', async () => {
    const id = await bench.session();
    const attachments = [{ name: 'dot.png', data: PICTURE }];
    const sent = () => JSON.stringify(bench.model.exchanges.at(-1)?.body);
    const ran = await bench.run(id, '!say A dot.', { wait: 60, attachments });
    expect(ran.body).toMatchObject({ status: 'completed' });
    expect(sent()).toContain(PICTURE);
    const path = [{ path: '/etc/hostname' }];
    expect((await bench.run(id, '!say x', { attachments: path })).status).toBe(400);
    const bad = await bench.run(id, '!say x', { wait: 60, attachments: [{ name: 'x.bin', data: '/w==' }] });
    expect(JSON.stringify(bad.body)).toContain('neither text nor an image');
    const body = { agent: 'self', instruction: '!say Seen.', context_depth: 'none', wait: 60, attachments };
    const child = await bench.daemon.post(`/api/v1/sessions/${id}/delegate`, body);
    expect(child.body, JSON.stringify(child.body)).toMatchObject({ status: 'completed' });
    expect(sent()).toContain(PICTURE);
  });

  it('continues with what was said to the session over the API', async () => {
    const id = await bench.session({ auto_start: true });
    await bench.daemon.post(`/api/v1/sessions/${id}/messages`, { role: 'user', content: 'My name is Ada.' });
    await bench.run(id, '!say Yes.', { wait: 60 });
    expect(JSON.stringify(bench.model.exchanges.at(-1)?.body)).toContain('My name is Ada.');
  });

  it('sent again under the same id is the same run, and under another session a conflict', async () => {
    const id = await bench.session();
    const run_id = 'run_mine-1';
    const first = await bench.run(id, '!say Once.', { run_id, wait: 60 });
    const again = await bench.run(id, '!say Twice.', { run_id, wait: 60 });
    expect(again.body).toEqual(first.body);
    const other = await bench.run(await bench.session(), '!say No.', { run_id });
    expect([other.status, other.body.code]).toEqual([409, 'RUN_EXISTS']);
  });

  it('is listed with the session and with all, newest first, page by page', async () => {
    const id = await bench.session();
    for (const word of ['a', 'b', 'c']) await bench.run(id, `!say ${word}.`, { wait: 60 });
    const page = await bench.daemon.get(`/api/v1/sessions/${id}/runs?limit=2&status=completed`);
    expect(page.body.map((run: { instruction: string }) => run.instruction)).toEqual(['!say c.', '!say b.']);
    const next = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
    expect(
      (await bench.daemon.get(next)).body.map((run: { instruction: string }) => run.instruction),
    ).toEqual(['!say a.']);
    const all = await bench.daemon.get('/api/v1/runs?limit=1');
    expect(all.body[0].session_id).toBe(id);
    expect((await bench.daemon.get(`/api/v1/sessions/${id}/runs?cursor=x`)).body.code).toBe('INVALID_CURSOR');
    expect((await bench.daemon.get(`/api/v1/sessions/${id}/runs/run_none`)).body.code).toBe('RUN_NOT_FOUND');
  });

  it('can be given to a child as well', async () => {
    const id = await bench.session();
    const child = delegate({ agent: 'scout', instruction: '!say Seen.' });
    await bench.run(id, script(child, '!say Done.'), { wait: 60 });
    const [{ session_id }] = (await bench.daemon.get(`/api/v1/sessions/${id}/children`)).body;
    const { body } = await bench.run(session_id, '!say More.', { wait: 60 });
    expect(body).toMatchObject({ status: 'completed', outcome: { text: 'More.', agent: 'scout' } });
    expect(JSON.stringify(bench.model.exchanges.at(-1)?.body)).toContain('You look.');
  });

  it('whose model fails has failed, with the reason, and so has its session', async () => {
    const id = await bench.session();
    const { body } = await bench.run(id, '!fail 401 no such key', { wait: 60 });
    expect(body).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('no such key') },
    });
    expect((await bench.daemon.get(`/api/v1/sessions/${id}`)).body.status).toBe('failed');
  });

  it('of a session whose folder is gone says so', async () => {
    const id = await bench.session({ working_dir: bench.daemon.workspace.resolve('work/nowhere') });
    const { body } = await bench.run(id, '!say x', { wait: 60 });
    expect(body).toMatchObject({ status: 'failed', error: { code: 'INVALID_WORKING_DIR' } });
  });

  it('lets the session be renamed while it works, and refuses what would get in its way', async () => {
    const id = await bench.session();
    await bench.run(id, parked('a.txt'));
    const { approval_id } = await bench.approval(id);
    expect((await bench.daemon.call('PATCH', `/api/v1/sessions/${id}`, { name: 'Busy' })).status).toBe(200);
    for (const [method, path] of [
      ['POST', '/complete'],
      ['DELETE', '?force=true'],
    ] as const) {
      const refused = await bench.daemon.call(method, `/api/v1/sessions/${id}${path}`);
      expect([refused.status, refused.body.code]).toEqual([409, 'SESSION_BUSY']);
    }
    await bench.answer(id, approval_id);
  });
});

describe('when the session is busy', () => {
  async function busy(file: string) {
    const id = await bench.session();
    const first = (await bench.run(id, parked(file))).body.run_id as string;
    const { approval_id } = await bench.approval(id);
    return { id, first, approval_id };
  }

  it('queue waits in line', async () => {
    const { id, first, approval_id } = await busy('q.txt');
    const second = (await bench.run(id, '!say Second.', { busy: 'queue' })).body;
    expect(second.status).toBe('queued');
    await bench.answer(id, approval_id);
    expect(await bench.ended(id, second.run_id)).toMatchObject({
      status: 'completed',
      outcome: { text: 'Second.' },
    });
    expect((await bench.ended(id, first)).outcome.text).toBe('Written.');
  });

  it('reject is refused and names the run', async () => {
    const { id, first, approval_id } = await busy('r.txt');
    const refused = await bench.run(id, '!say No.', { busy: 'reject' });
    expect([refused.status, refused.body.code, refused.body.run_ids]).toEqual([
      409,
      'SESSION_RUNNING',
      [first],
    ]);
    await bench.answer(id, approval_id);
    await bench.ended(id, first);
    expect((await bench.run(id, '!say Yes.', { busy: 'reject', wait: 60 })).body.status).toBe('completed');
  });

  it('steer is read by the run that is at work', async () => {
    const { id, first, approval_id } = await busy('s.txt');
    const steer = (await bench.run(id, '!say Steered.', { busy: 'steer' })).body.run_id;
    await bench.answer(id, approval_id);
    expect((await bench.ended(id, first)).outcome.text).toBe('Steered.');
    expect(await bench.ended(id, steer)).toMatchObject({ status: 'steered', outcome: null });
  });

  it('steer that nobody read before the run was over is a run of its own', async () => {
    const { id, first } = await busy('u.txt');
    const steer = (await bench.run(id, '!say Read at last.', { busy: 'steer' })).body.run_id;
    await bench.daemon.post(`/api/v1/sessions/${id}/runs/${first}/cancel`, { mode: 'immediate' });
    expect(await bench.ended(id, steer)).toMatchObject({
      status: 'completed',
      outcome: { text: 'Read at last.' },
    });
    const transcript = JSON.stringify((await bench.daemon.get(`/api/v1/sessions/${id}/transcript`)).body);
    expect(transcript.split('Read at last.').length - 1).toBe(2);
  });

  it('interrupt stops it and all that waits, and goes first', async () => {
    const { id, first } = await busy('i.txt');
    const waiting = (await bench.run(id, '!say Waiting.')).body.run_id;
    const { body } = await bench.run(id, '!say Now.', { busy: 'interrupt', wait: 60 });
    expect(body).toMatchObject({ status: 'completed', outcome: { text: 'Now.' } });
    expect(await bench.ended(id, first)).toMatchObject({ status: 'cancelled', outcome: { by: body.run_id } });
    expect(await bench.ended(id, waiting)).toMatchObject({ status: 'cancelled', error: null });
  });

  it('only so many sessions work at once', async () => {
    await using small = await RunBench.start({ runs: { max_active: 1 } });
    const first = await small.session();
    await small.run(first, parked('m.txt'));
    const { approval_id } = await small.approval(first);
    const second = await small.session();
    const { run_id } = (await small.run(second, '!say Second.')).body;
    expect((await small.daemon.get(`/api/v1/runs/${run_id}`)).body.status).toBe('queued');
    await small.answer(first, approval_id);
    expect((await small.ended(second, run_id)).status).toBe('completed');
  });

  it('only so many wait', async () => {
    await using small = await RunBench.start({ runs: { max_queued: 1 } });
    const id = await small.session();
    await small.run(id, parked('w.txt'));
    await small.approval(id);
    await small.run(id, '!say Second.');
    const third = await small.run(id, '!say Third.');
    expect([third.status, third.body.code]).toEqual([429, 'TOO_MANY_RUNS']);
  });
});

describe('cancelling', () => {
  const cancel = (id: string, run_id: string, body: object = {}) =>
    bench.daemon.post(`/api/v1/sessions/${id}/runs/${run_id}/cancel`, body);

  it('immediate stops the step under way', async () => {
    const id = await bench.session();
    const seen = bench.model.exchanges.length;
    const { run_id } = (await bench.run(id, '!hang')).body;
    const exchange = await bench.model.received(seen + 1);
    const { body } = await cancel(id, run_id, { mode: 'immediate', by: 'ada', wait: 60 });
    expect(body).toMatchObject({ status: 'cancelled', cancel_requested: 'ada', outcome: { by: 'ada' } });
    expect(await exchange.ended).toBe('closed');
    expect((await bench.daemon.get(`/api/v1/sessions/${id}`)).body.status).toBe('terminated');
  });

  it('graceful lets the step under way end, and no other begin', async () => {
    const id = await bench.session();
    const { run_id } = (await bench.run(id, parked('g.txt', '!say Too far.'))).body;
    const { approval_id } = await bench.approval(id);
    const asked = await cancel(id, run_id);
    expect([asked.status, asked.body.status]).toEqual([202, 'running']);
    await bench.answer(id, approval_id);
    const run = await bench.ended(id, run_id);
    expect(run).toMatchObject({ status: 'cancelled', outcome: { by: 'user' } });
    expect(run.outcome.partial_text).not.toContain('Too far.');
    expect(await readFile(bench.daemon.workspace.resolve('work/g.txt'), 'utf8')).toBe('x');
  });

  it('takes a run that waits out of the line', async () => {
    const id = await bench.session();
    const first = (await bench.run(id, parked('l.txt'))).body.run_id;
    const { approval_id } = await bench.approval(id);
    const second = (await bench.run(id, '!say Never.')).body.run_id;
    const answers = await Promise.all([cancel(id, second), cancel(id, second)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await bench.ended(id, second)).status).toBe('cancelled');
    await bench.answer(id, approval_id);
    await bench.ended(id, first);
    const text = JSON.stringify((await bench.daemon.get(`/api/v1/sessions/${id}/transcript`)).body);
    expect(text).not.toContain('Never.');
    expect((await runEvents(id)).filter((name) => name === 'run:ended')).toHaveLength(2);
    expect((await cancel(id, first)).body.code).toBe('RUN_ENDED');
  });

  it('is what terminating the session does', async () => {
    const id = await bench.session();
    const { run_id } = (await bench.run(id, parked('t.txt'))).body;
    await bench.approval(id);
    const waiting = (await bench.run(id, '!say Never.')).body.run_id;
    expect((await bench.daemon.post(`/api/v1/sessions/${id}/terminate`)).status).toBe(204);
    expect((await bench.daemon.get(`/api/v1/sessions/${id}`)).body.status).toBe('terminated');
    for (const each of [run_id, waiting]) expect((await bench.ended(id, each)).status).toBe('cancelled');
  });

  it('reaches the children the run waits for', async () => {
    const id = await bench.session();
    const seen = bench.model.exchanges.length;
    const child = delegate({ agent: 'scout', instruction: '!hang' });
    const { run_id } = (await bench.run(id, script(child, '!say Done.'))).body;
    await bench.model.received(seen + 2);
    expect((await cancel(id, run_id, { mode: 'immediate', wait: 60 })).body.status).toBe('cancelled');
    const children = (await bench.daemon.get(`/api/v1/sessions/${id}/children`)).body;
    expect(children).toMatchObject([{ status: 'terminated', agent_name: 'scout' }]);
  });

  it('reaches children in the background unless told otherwise', async () => {
    for (const cascade of [true, false]) {
      const id = await bench.session();
      const child = delegate({ agent: 'scout', instruction: '!hang', background: true });
      const { run_id } = (
        await bench.run(id, script(child, call('write_file', { file_path: 'b.txt', content: 'x' })))
      ).body;
      await bench.approval(id);
      const { body } = await cancel(id, run_id, { mode: 'immediate', cascade, wait: 60 });
      expect(body.status).toBe('cancelled');
      const [{ session_id }] = (await bench.daemon.get(`/api/v1/sessions/${id}/children`)).body;
      const status = async () => (await bench.daemon.get(`/api/v1/sessions/${session_id}`)).body.status;
      // It ends on its own, perhaps after the run that was waited for.
      if (cascade) while ((await status()) === 'active');
      expect([cascade, await status()]).toEqual([cascade, cascade ? 'terminated' : 'active']);
    }
  });
});

// The last of this file: from here on the model says what it was given to play.
it('a run gives a long answer whole, which its events do not repeat', async () => {
  const id = await bench.session();
  const text = `${'y'.repeat(100_000)}.`;
  bench.model.play([{ text }]);
  const { body } = await bench.run(id, 'Speak at length.', { wait: 60 });
  expect([body.outcome.status, body.outcome.text.length, body.outcome.text === text]).toEqual([
    'completed',
    text.length,
    true,
  ]);
  expect(body.outcome.answer_message).toBeUndefined();
  const events = await bench.events(id);
  expect(events.at(-1)?.data).toMatchObject({ outcome: { answer_message: 2 } });
  expect(JSON.stringify(events).length).toBeLessThan(text.length);
});
