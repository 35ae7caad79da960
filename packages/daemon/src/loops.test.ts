import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Claim,
  type MailItem,
  SessionError,
  SqlRunQueue,
  SqlSessionStore,
  SqlShelf,
} from '@amplifier/sessions';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SessionMail } from '../../delegation/src/engine/session-mail.js';
import { RecordLog } from '../../sessions/src/record-log.js';
import { OwnProcess } from '../../sessions/src/sql/own-process.js';
import { EventReader } from '../test-support/event-reader.js';
import { RunBench } from '../test-support/run-bench.js';
import { call, delegate, script } from '../test-support/run-profile.js';
import { TestDaemon } from '../test-support/test-daemon.js';
import { WebhookReceiver } from '../test-support/webhook-receiver.js';
import { EventStream } from './events/event-stream.js';

/** What happens now and then happens at once here; how long a lease lasts does not change. */
vi.mock('./defaults.js', async (original) => ({
  ...(await original<object>()),
  IDEMPOTENCY_SWEEP_MS: 10,
  APPROVAL_RETRY_MS: 10,
}));
vi.mock('../../delegation/src/defaults.js', async (original) => ({
  ...(await original<object>()),
  CLAIM_KEEP_ALIVE_MS: 10,
}));
vi.mock('../../sessions/src/defaults.js', async (original) => ({
  ...(await original<object>()),
  LEASE_RENEWALS: 3_000,
  COPY_IDLE_MS: 0,
  COPY_RETRY_MS: 10,
}));
const copies = vi.hoisted(() => ({ fail: false, failed: 0, bad: '' }));
vi.mock('../../sessions/src/copies/write-copy.js', async (original) => {
  const real = await original<typeof import('../../sessions/src/copies/write-copy.js')>();
  return {
    ...real,
    writeCopy: (...words: Parameters<typeof real.writeCopy>) => {
      if (words[2] === copies.bad) return Promise.reject(new Error('what it holds cannot be written'));
      if (!copies.fail) return real.writeCopy(...words);
      copies.failed++;
      return Promise.reject(Object.assign(new Error('no space left on the device'), { code: 'ENOSPC' }));
    },
  };
});

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
  it('continues with runs when the queue could not be read for a while, and /readyz says so meanwhile', async () => {
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

  it('brings a running session its mail when that could not be read for a while', async () => {
    await using bench = await RunBench.start();
    const id = await bench.session();
    const mail = failing(RecordLog.prototype, 'mail');
    const write = call('write_file', { file_path: 'mail.txt', content: 'x' });
    const { run_id } = (await bench.run(id, script(write, '!say Done.'))).body;
    const { approval_id } = await bench.approval(id);
    expect((await bench.answer(id, approval_id)).status).toBe(200);
    // The answer lies in the record, and the loop has asked for it more than once.
    await expect.poll(() => mail.calls, { timeout: 100_000 }).toBeGreaterThan(1);
    const unready = await bench.daemon.get('/readyz');
    expect([unready.status, loopIn(unready.body, 'mail of sessions')]).toMatchObject([
      503,
      { state: 'retrying' },
    ]);
    mail.fails = false;
    expect(await bench.ended(id, run_id)).toMatchObject({ status: 'completed', outcome: { text: 'Done.' } });
    expect(await readFile(bench.daemon.workspace.resolve('work/mail.txt'), 'utf8')).toBe('x');
  });

  it('brings a session the mail whose handling fails, and what comes after it, and /readyz knows', async () => {
    await using bench = await RunBench.start();
    const id = await bench.session();
    const { open } = SessionMail.prototype;
    vi.spyOn(SessionMail.prototype, 'open').mockImplementation(function (this: SessionMail, turn, handlers) {
      const onMessage = ({ body }: MailItem) =>
        body.text === 'bad' ? Promise.reject(new Error('cannot be announced')) : Promise.resolve();
      return open.call(this, turn, { ...handlers, onMessage });
    });
    const write = call('write_file', { file_path: 'mail.txt', content: 'x' });
    const { run_id } = (await bench.run(id, script(write, '!say Done.'))).body;
    const { approval_id } = await bench.approval(id);
    for (const text of ['bad', 'good']) await bench.daemon.post(`/api/v1/sessions/${id}/steer`, { text });
    await expect
      .poll(async () => loopIn((await bench.daemon.get('/readyz')).body, 'mail of sessions'))
      .toMatchObject({ set_aside: 1 });
    expect((await bench.answer(id, approval_id)).status).toBe(200);
    expect(await bench.ended(id, run_id)).toMatchObject({ status: 'completed', outcome: { text: 'Done.' } });
    const { body } = await bench.daemon.get('/readyz');
    expect([body.status, loopIn(body, 'mail of sessions')]).toMatchObject(['degraded', { set_aside: 1 }]);
    const told = JSON.stringify(bench.model.exchanges.at(-1)?.body);
    expect(['bad', 'good'].map((text) => told.includes(`[Message from user]\\n${text}`))).toEqual([
      true,
      true,
    ]);
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
    expect(loopIn(status, 'runs')).toMatchObject({
      last_error: { item: `run ${damaged.run_id} of session ${bad}` },
    });
    expect((await bench.run(bad, '!say Again.', { wait: 60 })).body.status).toBe('completed');
  });

  it('tells webhooks of every event that came while deliveries could not be written', async () => {
    await using daemon = await TestDaemon.start({ flags: { allow_private_webhooks: true } });
    await using receiver = await WebhookReceiver.start();
    const hook = { url: receiver.url, events: ['session:updated'] };
    receiver.secret = (await daemon.post('/api/v1/webhooks', hook)).body.secret;
    const id = await daemon.session();
    const put = failing(SqlRunQueue.prototype, 'enqueue');
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

  it('sends a delivery again whose end could not be written, and continues with the others', async () => {
    await using daemon = await TestDaemon.start({ flags: { allow_private_webhooks: true } });
    await using receiver = await WebhookReceiver.start();
    const hook = { url: receiver.url, events: ['session:updated'] };
    receiver.secret = (await daemon.post('/api/v1/webhooks', hook)).body.secret;
    const id = await daemon.session();
    const { finish } = SqlRunQueue.prototype;
    let broken: string | null = null;
    vi.spyOn(SqlRunQueue.prototype, 'finish').mockImplementation(async function (
      this: SqlRunQueue,
      claim,
      ...end
    ) {
      broken ??= claim.run.run_id;
      if (claim.run.run_id === broken) throw full();
      return finish.call(this, claim, ...end);
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

it('tells streams with text where messages are stored, also those that were stored while the feed failed', async () => {
  await using daemon = await TestDaemon.start();
  const id = await daemon.session({ auto_start: true });
  const say = (content: string) => daemon.post(`/api/v1/sessions/${id}/messages`, { role: 'user', content });
  const feed = failing(SqlSessionStore.prototype, 'feed');
  const { url, token } = daemon.daemon;
  await using reader = await EventReader.open(`${url}/api/v1/sessions/${id}/events?deltas=true`, token);
  await reader.until(({ event }) => event === 'synced');
  await say('while it failed');
  while (feed.calls === 0) await new Promise(setImmediate);
  feed.fails = false;
  expect((await reader.until(({ event }) => event === 'message')).data).toEqual({
    session_id: id,
    root_id: id,
    seq: 1,
  });
});

/** Everything that serves for ever, and the test of this file that shows what becomes of it. */
const LOOPS = [
  'runs',
  'leases of runs',
  'background work',
  'jobs',
  'webhooks',
  'webhook deliveries',
  'events',
  'approval time-outs',
  'session leases',
  'readable copies',
  'lease of the daemon',
  'idempotency keys',
  'mail of sessions',
];

describe('each loop of the daemon', () => {
  it('is named at /readyz, and there is none that this file does not try', async () => {
    await using bench = await RunBench.start({ allow_private_webhooks: true });
    const { daemon } = bench;
    await daemon.post('/api/v1/webhooks', { url: 'http://127.0.0.1:1/', events: ['x'] });
    const id = await bench.session();
    await bench.run(id, '!say Hello.', { wait: 60 });
    const { body } = await daemon.get('/readyz');
    expect(body.loops.map(({ name }: { name: string }) => name).sort()).toEqual([...LOOPS].sort());
  });

  /** Until the loop has set something aside, as /readyz says. */
  const setAside = async ({ daemon }: RunBench, name: string) => {
    for (;;) {
      const { body } = await daemon.get('/readyz');
      const { set_aside = 0 } = (loopIn(body, name) ?? {}) as { set_aside?: number };
      if (body.status === 'degraded' && set_aside > 0) return body.status;
    }
  };

  it('keeps runs at work while their leases cannot be written', async () => {
    await using bench = await RunBench.start();
    const id = await bench.session();
    const keepAlive = failing(SqlRunQueue.prototype, 'keepAlive');
    const { run_id } = (await bench.run(id, call('write_file', { file_path: 'a', content: 'x' }))).body;
    const { approval_id } = await bench.approval(id);
    expect(await setAside(bench, 'leases of runs')).toBe('degraded');
    keepAlive.fails = false;
    const { calls } = keepAlive;
    while (keepAlive.calls === calls) await new Promise(setImmediate);
    await bench.answer(id, approval_id);
    expect(await bench.ended(id, run_id)).toMatchObject({ status: 'completed' });
  });

  it('renews the leases of the other runs when that of one cannot be written', async () => {
    await using bench = await RunBench.start();
    const [bad, good] = [await bench.session(), await bench.session()];
    const { keepAlive } = SqlRunQueue.prototype;
    const renewed = new Set<string>();
    vi.spyOn(SqlRunQueue.prototype, 'keepAlive').mockImplementation(function (
      this: SqlRunQueue,
      claim: Claim,
    ) {
      if (claim.run.session_id === bad) throw full();
      renewed.add(claim.run.session_id);
      return keepAlive.call(this, claim);
    });
    const write = call('write_file', { file_path: 'a', content: 'x' });
    for (const id of [bad, good]) await bench.run(id, write);
    for (const id of [bad, good]) await bench.approval(id);
    expect(await setAside(bench, 'leases of runs')).toBe('degraded');
    renewed.clear();
    while (!renewed.has(good)) await new Promise(setImmediate);
  });

  it('brings children in the background to their end though the queue or a lease failed, and one of them cannot be run', async () => {
    const { claims, keepAlive } = SqlRunQueue.prototype;
    const fail = { claims: true, keepAlive: true };
    vi.spyOn(SqlRunQueue.prototype, 'claims').mockImplementation(function (this: SqlRunQueue, options) {
      if (fail.claims && options?.kinds?.includes('delegation')) throw full();
      return claims.call(this, options);
    });
    vi.spyOn(SqlRunQueue.prototype, 'keepAlive').mockImplementation(function (
      this: SqlRunQueue,
      claim: Claim,
    ) {
      if (fail.keepAlive && claim.run.kind === 'delegation') throw full();
      return keepAlive.call(this, claim);
    });
    await using bench = await RunBench.start();
    const { daemon } = bench;
    const id = await bench.session();
    // Both alike, because their order in the list does not matter.
    const child = delegate({ agent: 'scout', instruction: '!hang', background: true });
    await bench.run(id, script([child, child], '!say Begun.'), { wait: 60 });
    const children = (await daemon.get(`/api/v1/sessions/${id}/children`)).body as { session_id: string }[];
    const [bad, good] = children.map(({ session_id }) => session_id);
    const unready = await daemon.get('/readyz');
    expect([unready.status, loopIn(unready.body, 'background work')]).toMatchObject([
      503,
      { state: 'retrying' },
    ]);
    const has = SqlSessionStore.prototype.has;
    vi.spyOn(SqlSessionStore.prototype, 'has').mockImplementation(async function (
      this: SqlSessionStore,
      session_id,
    ) {
      if (session_id === bad) throw new SessionError('It is damaged.', { code: 'SESSION_CORRUPT' });
      return has.call(this, session_id);
    });
    const seen = bench.model.exchanges.length;
    fail.claims = false;
    await bench.model.received(seen + 1);
    expect(await setAside(bench, 'background work')).toBe('degraded');
    expect(await setAside(bench, 'leases of runs')).toBe('degraded');
    fail.keepAlive = false;
    expect((await daemon.get(`/api/v1/sessions/${good}`)).body.status).toBe('active');
    await daemon.post(`/api/v1/sessions/${good}/terminate`);
  });

  it('ends a job whose end could not be written at first, and tells its client so', async () => {
    await using bench = await RunBench.start();
    const { url, token } = bench.daemon.daemon;
    const spy = vi.spyOn(SqlRunQueue.prototype, 'finish').mockImplementationOnce(async () => {
      throw full();
    });
    const client = new Client({ name: 'test', version: '1.0.0' });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
    const input = { cli: 'amplifier', prompt: 'Go.', working_dir: bench.daemon.workspace.resolve('work') };
    const { structuredContent } = await client.callTool({ name: 'delegate', arguments: input });
    expect(structuredContent).toMatchObject({ result: { ok: false, session_id: null } });
    expect(await setAside(bench, 'jobs')).toBe('degraded');
    expect(spy.mock.calls.map(([{ run }]) => run.kind)).toEqual(['job', 'job']);
    await client.close();
  });

  it('offers events to the others when one follower fails, and cuts that one off', async () => {
    await using daemon = await TestDaemon.start();
    const id = await daemon.session();
    const { url, token } = daemon.daemon;
    await using all = await EventReader.open(`${url}/api/v1/events`, token);
    await using one = await EventReader.open(`${url}/api/v1/sessions/${id}/events`, token);
    const update = (name: string) => daemon.call('PATCH', `/api/v1/sessions/${id}`, { name });
    await update('before');
    for (const reader of [all, one]) await reader.until(({ event }) => event === 'session:updated');
    // The follower of the session is offered the event first.
    vi.spyOn(EventStream.prototype, 'offer').mockImplementationOnce(() => {
      throw new Error('cannot be written');
    });
    await update('first');
    await all.until(({ event }) => event === 'session:updated');
    while ((await one.next()) !== null);
    const { body } = await daemon.get('/readyz');
    expect([body.status, loopIn(body, 'events')]).toMatchObject(['degraded', { set_aside: 1 }]);
    await update('second');
    await all.until(({ event }) => event === 'session:updated');
  });

  it('accepts the next follower after a feed that could not be opened, before its headers or after them', async () => {
    await using daemon = await TestDaemon.start();
    const id = await daemon.session();
    const { url, token } = daemon.daemon;
    const feedCursor = vi.spyOn(SqlSessionStore.prototype, 'feedCursor');
    feedCursor.mockRejectedValueOnce(full());
    await expect(EventReader.open(`${url}/api/v1/events`, token)).rejects.toThrow(/^500 /);
    feedCursor.mockResolvedValueOnce('0').mockRejectedValueOnce(full());
    await using refused = await EventReader.open(`${url}/api/v1/events`, token);
    expect(await refused.next()).toBeNull();
    await using reader = await EventReader.open(`${url}/api/v1/events`, token);
    await daemon.call('PATCH', `/api/v1/sessions/${id}`, { name: 'told' });
    await reader.until(({ event }) => event === 'session:updated');
  });

  it('ends the time of an approval though the end could not be written at first', async () => {
    await using bench = await RunBench.start({
      approvals: { timeout_seconds: 0.001, on_timeout: 'deny' },
    });
    const send = failing(SqlSessionStore.prototype, 'send');
    const id = await bench.session();
    const write = call('write_file', { file_path: 'never.txt', content: 'x' });
    const { run_id } = (await bench.run(id, script(write, '!say Denied.'))).body;
    expect(await setAside(bench, 'approval time-outs')).toBe('degraded');
    send.fails = false;
    expect(await bench.ended(id, run_id)).toMatchObject({ status: 'completed' });
    expect((await bench.daemon.get(`/api/v1/sessions/${id}/approvals`)).body).toMatchObject([
      { status: 'answered' },
    ]);
  });

  it('ends the time of other approvals when the end of one cannot be written', async () => {
    await using bench = await RunBench.start({
      approvals: { timeout_seconds: 0.001, on_timeout: 'deny' },
    });
    const [bad, good] = [await bench.session(), await bench.session()];
    const { send } = SqlSessionStore.prototype;
    vi.spyOn(SqlSessionStore.prototype, 'send').mockImplementation(async function (
      this: SqlSessionStore,
      item,
    ) {
      if (item.to === bad) throw full();
      return send.call(this, item);
    });
    const write = call('write_file', { file_path: 'never.txt', content: 'x' });
    await bench.run(bad, write);
    expect(await setAside(bench, 'approval time-outs')).toBe('degraded');
    const { run_id } = (await bench.run(good, script(write, '!say Denied.'))).body;
    expect(await bench.ended(good, run_id)).toMatchObject({ status: 'completed' });
  });

  it('renews the leases of sessions and of the daemon again when they can be written', async () => {
    await using bench = await RunBench.start();
    const id = await bench.session();
    await bench.run(id, '!say Hello.', { wait: 60 });
    const register = failing(OwnProcess.prototype, 'register');
    for (const name of ['session leases', 'lease of the daemon'])
      expect(await setAside(bench, name)).toBe('degraded');
    register.fails = false;
    const { calls } = register;
    while (register.calls < calls + 2) await new Promise(setImmediate);
    const { body } = await bench.daemon.get('/readyz');
    expect(loopIn(body, 'session leases')).toMatchObject({ state: expect.stringMatching(/waiting|serving/) });
    expect((await bench.run(id, '!say Again.', { wait: 60 })).body.status).toBe('completed');
  });

  it('writes the readable copies when there is room again, without anything new in their sessions', async () => {
    await using bench = await RunBench.start();
    copies.fail = true;
    const id = await bench.session({ name: 'copied' });
    expect(await setAside(bench, 'readable copies')).toBe('degraded');
    const seen = copies.failed;
    while (copies.failed === seen) await new Promise(setImmediate);
    copies.fail = false;
    const file = join(bench.daemon.home, 'state/sessions', id, 'session.json');
    const text = await vi.waitFor(() => readFile(file, 'utf8'), { timeout: 100_000, interval: 20 });
    expect(JSON.parse(text)).toMatchObject({ session_id: id, name: 'copied' });
    expect(bench.daemon.log.filter((line) => line.includes('COPIES_NOT_WRITTEN'))).toHaveLength(1);
  });

  it('writes the copies of the others when that of one session never can be', async () => {
    await using bench = await RunBench.start();
    copies.bad = 'one-that-is-bad';
    await bench.session({ session_id: copies.bad });
    const good = await bench.session({ name: 'good' });
    expect(await setAside(bench, 'readable copies')).toBe('degraded');
    const file = join(bench.daemon.home, 'state/sessions', good, 'session.json');
    const text = await vi.waitFor(() => readFile(file, 'utf8'), { timeout: 100_000, interval: 20 });
    expect(JSON.parse(text)).toMatchObject({ session_id: good, name: 'good' });
  });

  it('removes old idempotency keys again when that is possible again', async () => {
    await using bench = await RunBench.start();
    const sweep = failing(SqlShelf.prototype, 'sweep');
    expect(await setAside(bench, 'idempotency keys')).toBe('degraded');
    sweep.fails = false;
    const calls = sweep.calls;
    while (sweep.calls === calls) await new Promise(setImmediate);
  });
});
