import { SessionError, SqlRunQueue, SqlSessionStore } from '@amplifier/sessions';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { EventReader } from '../torture/event-reader.js';
import { RunBench } from '../torture/run-bench.js';
import { TestDaemon } from '../torture/test-daemon.js';
import { WebhookReceiver } from '../torture/webhook-receiver.js';
import { RecordFolder } from './webhooks/record-folder.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const full = () => Object.assign(new Error('no space left on the device'), { code: 'ENOSPC' });
const loopIn = (body: { loops: { name: string }[] }, name: string) =>
  body.loops.find((loop) => loop.name === name);

/** Lets calls of a method fail for as long as the test wants. */
function failing<Type extends object, Name extends keyof Type & string>(type: Type, name: Name) {
  const real = type[name] as (...args: unknown[]) => unknown;
  const state = { fails: true, calls: 0 };
  vi.spyOn(type as Record<string, (...args: unknown[]) => unknown>, name).mockImplementation(function (
    this: unknown,
    ...args: unknown[]
  ) {
    state.calls++;
    if (state.fails) throw full();
    return real.apply(this, args);
  });
  return state;
}

describe('what serves for ever', () => {
  it('goes on with runs when the queue could not be read for a while, and /readyz says so meanwhile', async () => {
    await using bench = await RunBench.start();
    const { daemon } = bench;
    const id = await bench.session();
    const claims = failing(SqlRunQueue.prototype, 'claims');
    await bench.restart();
    const run = (await bench.run(id, '!say Late.')).body;
    const unready = await daemon.get('/readyz');
    expect(unready.status).toBe(503);
    expect(unready.body).toMatchObject({ code: 'NOT_READY', detail: expect.stringContaining('runs') });
    expect(loopIn(unready.body, 'runs')).toMatchObject({ state: 'retrying' });
    expect(unready.text).not.toContain('no space left');
    const { body: status } = await daemon.get('/api/v1/status');
    expect(loopIn(status, 'runs')).toMatchObject({ last_error: { code: 'ENOSPC' } });
    claims.fails = false;
    expect(await bench.ended(id, run.run_id)).toMatchObject({
      status: 'completed',
      outcome: { text: 'Late.' },
    });
  });

  it('ends a run whose session is damaged, runs the others, and /readyz knows that one was set aside', async () => {
    await using bench = await RunBench.start();
    const { daemon } = bench;
    const [bad, good] = [await bench.session(), await bench.session()];
    const has = SqlSessionStore.prototype.has;
    vi.spyOn(SqlSessionStore.prototype, 'has').mockImplementation(async function (
      this: SqlSessionStore,
      session_id: string,
    ) {
      if (session_id === bad)
        throw new SessionError('events.jsonl:3 is damaged.', { code: 'SESSION_CORRUPT', origin: bad });
      return has.call(this, session_id);
    });
    const damaged = (await bench.run(bad, '!say Never.')).body;
    const fine = (await bench.run(good, '!say Fine.', { wait: 60 })).body;
    expect(fine).toMatchObject({ status: 'completed', outcome: { text: 'Fine.' } });
    vi.restoreAllMocks();
    expect(await bench.ended(bad, damaged.run_id)).toMatchObject({
      status: 'failed',
      error: { code: 'SESSION_CORRUPT', message: expect.stringContaining('events.jsonl:3') },
    });
    const ready = await daemon.get('/readyz');
    expect([ready.status, ready.body.status]).toEqual([200, 'degraded']);
    expect(loopIn(ready.body, 'runs')).toMatchObject({ set_aside: 1 });
    const { body: status } = await daemon.get('/api/v1/status');
    expect(loopIn(status, 'runs')).toMatchObject({ last_error: { item: `run ${damaged.run_id}` } });
    expect((await bench.run(bad, '!say Again.', { wait: 60 })).body.status).toBe('completed');
  });

  it('tells webhooks of every event that came while deliveries could not be written', async () => {
    await using daemon = await TestDaemon.start({ flags: { allow_private_webhooks: true } });
    await using receiver = await WebhookReceiver.start();
    const hook = { url: receiver.url, events: ['session:updated'] };
    receiver.secret = (await daemon.post('/api/v1/webhooks', hook)).body.secret;
    const id = await daemon.session();
    const put = failing(RecordFolder.prototype, 'put');
    await daemon.call('PATCH', `/api/v1/sessions/${id}`, { name: 'first' });
    while (put.calls === 0) await new Promise(setImmediate);
    const unready = await daemon.get('/readyz');
    expect([unready.status, loopIn(unready.body, 'webhooks')]).toMatchObject([503, { state: 'retrying' }]);
    await daemon.call('PATCH', `/api/v1/sessions/${id}`, { name: 'second' });
    put.fails = false;
    const received = await receiver.until(({ length }) => length === 2);
    expect(received.map(({ body }) => body.type)).toEqual(['session:updated', 'session:updated']);
    expect(new Set(received.map((each) => each.id)).size).toBe(2);
  });

  it('sends a delivery again whose end could not be written, and goes on with the others', async () => {
    await using daemon = await TestDaemon.start({ flags: { allow_private_webhooks: true } });
    await using receiver = await WebhookReceiver.start();
    const hook = { url: receiver.url, events: ['session:updated'] };
    receiver.secret = (await daemon.post('/api/v1/webhooks', hook)).body.secret;
    const id = await daemon.session();
    const put = RecordFolder.prototype.put;
    let broken: string | null = null;
    vi.spyOn(RecordFolder.prototype, 'put').mockImplementation(async function (
      this: RecordFolder<{ id: string }>,
      record: { id: string },
    ) {
      const { status } = record as { status?: string };
      if (status === 'delivered') broken ??= record.id;
      if (status === 'delivered' && record.id === broken) throw full();
      return put.call(this, record);
    });
    await daemon.call('PATCH', `/api/v1/sessions/${id}`, { name: 'first' });
    await receiver.until(({ length }) => length === 1);
    await daemon.call('PATCH', `/api/v1/sessions/${id}`, { name: 'second' });
    await receiver.until((received) => new Set(received.map((each) => each.id)).size === 2);
    const { body } = await daemon.get('/readyz');
    expect([body.status, loopIn(body, 'webhook deliveries')]).toMatchObject(['degraded', { set_aside: 1 }]);
  });

  it('offers followers every event that was stored while the feed could not be read', async () => {
    await using daemon = await TestDaemon.start();
    const id = await daemon.session();
    const feed = failing(SqlSessionStore.prototype, 'feed');
    const { url, token } = daemon.daemon;
    await using reader = await EventReader.open(`${url}/api/v1/sessions/${id}/events`, token);
    while (feed.calls === 0) await new Promise(setImmediate);
    expect(loopIn((await daemon.get('/readyz')).body, 'events')).toMatchObject({ state: 'retrying' });
    await daemon.call('PATCH', `/api/v1/sessions/${id}`, { name: 'while it failed' });
    feed.fails = false;
    for (;;) {
      const frame = await reader.next();
      if (frame?.event === 'session:updated') break;
      expect(frame).not.toBeNull();
    }
  });
});
