import { openShelf } from '@amplifier/sessions';
import { TempWorkspace, VirtualClock } from '@amplifier/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DaemonProcess } from '../../test-support/daemon-process.js';
import { RunBench } from '../../test-support/run-bench.js';
import { TestDaemon } from '../../test-support/test-daemon.js';
import { DaemonError } from '../daemon-error.js';
import { Idempotency } from './idempotency.js';

const base = { profile_id: 'foundation/base' };
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

describe('a request with an Idempotency-Key', () => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await TestDaemon.start();
  });
  afterAll(() => daemon[Symbol.asyncDispose]());
  const sessions = async () => (await daemon.get('/api/v1/sessions?limit=1000')).body.length;

  it('is carried out once and answered the same way, also after a restart', async () => {
    const parent = await daemon.session({ auto_start: true });
    for (const [path, body] of [
      ['/api/v1/sessions', base],
      ['/api/v1/mount-plans/generate', base],
      [`/api/v1/mount-plans/${parent}/sub-session`, {}],
    ] as const) {
      const first = await daemon.post(path, body, keyed('k1'));
      expect(first.status).toBe(201);
      const count = await sessions();
      const again = await daemon.post(path, body, keyed('k1'));
      expect([again.status, again.text]).toEqual([201, first.text]);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(again.headers.get('location')).toBe(first.headers.get('location'));
      await daemon.restart();
      expect((await daemon.post(path, body, keyed('k1'))).text).toBe(first.text);
      expect(await sessions()).toBe(count);
      expect((await daemon.post(path, body, keyed('k2'))).text).not.toBe(first.text);
    }
    const message = { role: 'user', content: 'once' };
    const path = `/api/v1/sessions/${parent}/messages`;
    const first = await daemon.post(path, message, keyed('k1'));
    expect((await daemon.post(path, message, keyed('k1'))).text).toBe(first.text);
    expect((await daemon.get(`/api/v1/sessions/${parent}/transcript`)).body).toHaveLength(1);
  });

  it('is refused when the key was used for something else, is being used, or is no key', async () => {
    await daemon.post('/api/v1/sessions', base, keyed('one'));
    const other = await daemon.post('/api/v1/sessions', { ...base, name: 'x' }, keyed('one'));
    expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    for (const key of ['', 'a b', 'x'.repeat(256)]) {
      const refused = await daemon.post('/api/v1/sessions', base, keyed(key));
      expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_IDEMPOTENCY_KEY']);
    }
    const count = await sessions();
    const many = await Promise.all(
      Array.from({ length: 10 }, () => daemon.post('/api/v1/sessions', base, keyed('many'))),
    );
    const done = many.filter(({ status }) => status === 201);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    for (const { status, body, headers } of many.filter((each) => each.status !== 201))
      expect([status, body.code, headers.get('retry-after')]).toEqual([409, 'IDEMPOTENCY_IN_FLIGHT', '1']);
    expect(await sessions()).toBe(count + 1);
  });

  it('that was refused may be sent again', async () => {
    const wrong = { profile_id: 'foundation/none' };
    for (let attempt = 0; attempt < 2; attempt++)
      expect((await daemon.post('/api/v1/sessions', wrong, keyed('again'))).status).toBe(404);
    expect((await daemon.post('/api/v1/sessions', base, keyed('again'))).status).toBe(201);
  });
});

it('a run or a delegation with a key is one run, also after a restart', async () => {
  await using bench = await RunBench.start();
  const id = await bench.session();
  for (const [path, body] of [
    [`/api/v1/sessions/${id}/runs`, { instruction: '!say Once.', wait: 60 }],
    [`/api/v1/sessions/${id}/delegate`, { agent: 'scout', instruction: '!say Seen.', wait: 60 }],
  ] as const) {
    const first = await bench.daemon.post(path, body, keyed('k'));
    expect(first.body).toMatchObject({ status: 'completed' });
    const asked = bench.model.exchanges.length;
    expect((await bench.daemon.post(path, body, keyed('k'))).text).toBe(first.text);
    await bench.restart();
    expect((await bench.daemon.post(path, body, keyed('k'))).text).toBe(first.text);
    expect(bench.model.exchanges.length).toBe(asked);
    const other = await bench.daemon.post(path, { ...body, instruction: '!say Twice.' }, keyed('k'));
    expect(other.body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  }
  expect((await bench.daemon.get(`/api/v1/sessions/${id}/runs`)).body).toHaveLength(2);
});

it('a client that asks again after a crash gets one session, whenever the daemon died', async () => {
  await using workspace = await TempWorkspace.create();
  const home = workspace.resolve('home');
  let daemon = await DaemonProcess.start(home);
  try {
    for (let round = 0; round < 3; round++) {
      const create = () =>
        daemon.fetch('/api/v1/sessions', {
          method: 'POST',
          json: base,
          headers: { 'idempotency-key': `round-${round}` },
        });
      const lost = create().catch(() => null);
      for (let turn = 0; turn < round * 6; turn++)
        await daemon.fetch('/healthz').then((answer) => answer.text());
      await daemon.kill();
      await lost;
      daemon = await DaemonProcess.start(home);
      const { session_id } = (await (await create()).json()) as { session_id: string };
      expect(((await (await create()).json()) as { session_id: string }).session_id).toBe(session_id);
      const listed = (await (await daemon.fetch('/api/v1/sessions')).json()) as unknown[];
      expect(listed).toHaveLength(round + 1);
    }
  } finally {
    await daemon.kill();
  }
});

it('an attempt that failed is told to the next one, and answers go after a day', async () => {
  await using workspace = await TempWorkspace.create();
  const clock = new VirtualClock(Date.now());
  await using shelf = await openShelf(workspace.resolve('record.db'), { clock });
  const report = () => undefined;
  const keys = new Idempotency(shelf, clock, report);
  const request = { owner: 'o', key: 'k', content: '{}' };
  const answer = { status: 201, headers: {}, json: '{}' };
  const seen: boolean[] = [];
  const ids = new Set<string>();
  const fail = keys.once(request, async ({ id, retried }) => {
    seen.push(retried);
    ids.add(id);
    throw new DaemonError('INTERNAL', 'broken');
  });
  await expect(fail).rejects.toThrow('broken');
  await keys.once(request, async ({ id, retried }) => {
    seen.push(retried);
    ids.add(id);
    return answer;
  });
  expect([seen, ids.size]).toEqual([[false, true], 1]);
  expect((await keys.once(request, () => Promise.reject(new Error('not again')))).replayed).toBe(true);
  await clock.advance(26 * 60 * 60 * 1_000);
  // The record is written by real time, so the loop may still be at what the clock has left behind.
  const left = async () => {
    await clock.advance(60 * 60 * 1_000);
    return shelf.names('idempotency key');
  };
  await expect.poll(left, { timeout: 100_000 }).toEqual([]);
  keys.close();
});
