import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { quietClock } from '@amplifier/core';
import { openShelf } from '@amplifier/sessions';
import { TempWorkspace, VirtualClock } from '@amplifier/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DaemonProcess } from '../../test-support/daemon-process.js';
import { TestDaemon } from '../../test-support/test-daemon.js';
import { WebhookReceiver } from '../../test-support/webhook-receiver.js';
import { postGuarded } from './post-guarded.js';

let daemon: TestDaemon;
let receiver: WebhookReceiver;
const flags = { allow_private_webhooks: true };
beforeEach(async () => {
  daemon = await TestDaemon.start({ flags });
  receiver = await WebhookReceiver.start();
});
afterEach(async () => {
  await daemon[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

/** A webhook for changes of a session's name or metadata. */
async function hook(body: object = {}): Promise<string> {
  const created = await daemon.post('/api/v1/webhooks', {
    url: receiver.url,
    events: ['session:updated'],
    ...body,
  });
  expect(created.status).toBe(201);
  receiver.secret = created.body.secret;
  return created.body.id;
}
const rename = (session_id: string, name: string) =>
  daemon.call('PATCH', `/api/v1/sessions/${session_id}`, { name });
const deliveries = async (id: string) => (await daemon.get(`/api/v1/webhooks/${id}/deliveries`)).body;

describe('a webhook', () => {
  it('is told of the events it asked for, signed, without what was said in them', async () => {
    const session_id = await daemon.session();
    const id = await hook();
    await daemon.post(`/api/v1/sessions/${session_id}/start`);
    await rename(session_id, 'a name nobody else should read');
    const [received] = await receiver.until(({ length }) => length === 1);
    expect(received).toMatchObject({
      status: 204,
      body: { type: 'session:updated', data: { session_id, seq: 3 } },
    });
    expect(JSON.stringify(received?.body)).not.toContain('nobody else');
    await expect
      .poll(() => deliveries(id))
      .toMatchObject([
        {
          id: received?.id,
          status: 'delivered',
          attempts: [{ status: 204, error: null }],
          next_attempt_at: null,
        },
      ]);
  });

  it('is made, listed, changed under its version and deleted', async () => {
    const id = await hook({ events: undefined });
    const path = `/api/v1/webhooks/${id}`;
    const { body, headers } = await daemon.get(path);
    expect(body).toMatchObject({
      url: receiver.url,
      events: expect.arrayContaining(['run:ended', 'question:asked']),
      enabled: true,
      version: 1,
    });
    expect(body.secret).toBeUndefined();
    expect((await daemon.get('/api/v1/webhooks')).body).toEqual([body]);
    const etag = headers.get('etag') ?? '';
    const change = (tag: string) =>
      daemon.call('PATCH', path, { enabled: false }, { headers: { 'if-match': tag } });
    expect((await change(etag)).body).toMatchObject({ enabled: false, version: 2 });
    expect((await change(etag)).status).toBe(412);
    await daemon.restart({ flags });
    expect((await daemon.get(path)).body.version).toBe(2);
    expect((await daemon.call('DELETE', path)).status).toBe(204);
    expect((await daemon.get(path)).body.code).toBe('WEBHOOK_NOT_FOUND');
    for (const url of ['ftp://example.com', 'http://a:b@example.com', 'nonsense'])
      expect((await daemon.post('/api/v1/webhooks', { url })).status).toBe(400);
  });

  it('that fails is tried again later and later with the same id, then given up, and can be sent again by hand', async () => {
    const clock = new VirtualClock(Date.now());
    await daemon.restart({ clock, flags });
    const session_id = await daemon.session();
    const id = await hook();
    const began = clock.now();
    receiver.answer = (at) => ({ status: at < 8 ? 500 : 204 });
    await rename(session_id, 'x');
    for (let at = 0; at < 8; at++) {
      await receiver.until(({ length }) => length > at);
      await expect.poll(async () => (await deliveries(id))[0].attempts.length).toBeGreaterThan(at);
      // Not beyond the next attempt: the time of an attempt is limited by the same clock.
      const { next_attempt_at } = (await deliveries(id))[0];
      if (next_attempt_at) await clock.advance(Date.parse(next_attempt_at) - clock.now());
    }
    expect(clock.now() - began).toBeGreaterThan(31 * 3_600_000 * 0.9);
    expect(new Set(receiver.received.map((each) => each.id)).size).toBe(1);
    const [delivery] = await deliveries(id);
    expect(delivery).toMatchObject({ status: 'failed', next_attempt_at: null });
    const again = await daemon.post(`/api/v1/webhooks/${id}/deliveries/${delivery.id}/redeliver`);
    expect([again.status, again.body.status]).toEqual([202, 'pending']);
    await receiver.until(({ length }) => length === 9);
    await expect.poll(async () => (await deliveries(id))[0].status).toBe('delivered');
    // Counted once the delivery is stored, which another reader can see a moment earlier.
    await expect
      .poll(async () => (await daemon.get('/metrics')).text)
      .toContain('amplifierd_webhook_delivered_total 1');
  });

  it('is sent once what waited in an earlier version, and not what that had sent', async () => {
    const id = await hook();
    {
      await using shelf = await openShelf(daemon.record);
      for (const [name, status, attempts] of [
        ['dlv_waiting', 'pending', [{ at: '2026', status: 500, error: null, ms: 1 }]],
        ['dlv_sent', 'delivered', [{ at: '2026', status: 204, error: null, ms: 1 }]],
      ] as const)
        await shelf.put('delivery', name, {
          ...{ id: name, webhook_id: id, status, attempts, created_at: '2026-01-01T00:00:00.000Z' },
          event: { id: 'e', name: 'session:updated', session_id: 's', seq: 3, time: '2026' },
          payload: JSON.stringify({ type: 'session:updated', of: name }),
          next_attempt_at: status === 'pending' ? '2026-01-01T00:00:05.000Z' : null,
        });
    }
    await daemon.restart({ flags });
    const [received] = await receiver.until(({ length }) => length === 1);
    expect(received).toMatchObject({ id: 'dlv_waiting', status: 204, body: { of: 'dlv_waiting' } });
    const found = async () =>
      Object.fromEntries(
        // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test looks at
        (await deliveries(id)).map((each: any) => [each.id, [each.status, each.attempts.length]]),
      );
    await expect.poll(found).toEqual({ dlv_waiting: ['delivered', 2] });
    await daemon.restart({ flags });
    expect(await found()).toEqual({ dlv_waiting: ['delivered', 2] });
    expect(receiver.received).toHaveLength(1);
  });

  it('is sent nothing more when it is deleted, and a delivery by hand does not wait', async () => {
    const session_id = await daemon.session();
    const id = await hook();
    receiver.answer = (at) => ({ status: at === 1 ? 204 : 500 });
    await rename(session_id, 'x');
    await expect.poll(async () => (await deliveries(id))[0]?.attempts.length).toBe(1);
    const [{ id: delivery_id, next_attempt_at, created_at }] = await deliveries(id);
    expect(Date.parse(next_attempt_at) - Date.parse(created_at)).toBeGreaterThanOrEqual(5_000);
    await daemon.post(`/api/v1/webhooks/${id}/deliveries/${delivery_id}/redeliver`);
    await receiver.until(({ length }) => length === 2);
    await expect.poll(async () => (await deliveries(id))[0].status).toBe('delivered');
    await rename(session_id, 'y');
    await expect.poll(async () => (await deliveries(id))[0].attempts[0].status).toBe(500);
    const waiting = async () =>
      (await daemon.get('/metrics')).text.match(/amplifierd_webhook_pending (\d+)/)?.[1];
    expect(await waiting()).toBe('1');
    expect((await daemon.get('/metrics')).text).not.toMatch(/amplifierd_runs_waiting\{.*\} [1-9]/);
    expect((await daemon.call('DELETE', `/api/v1/webhooks/${id}`)).status).toBe(204);
    expect(await waiting()).toBe('0');
  });

  it('is never sent to a private address, by number, by name or by redirect', async () => {
    await daemon.restart();
    const session_id = await daemon.session();
    const id = await hook({ events: ['session:*'] });
    const byName = await hook({ url: receiver.url.replace('127.0.0.1', 'localhost'), events: ['session:*'] });
    await rename(session_id, 'x');
    for (const each of [id, byName]) {
      await expect
        .poll(async () => (await deliveries(each))[0]?.attempts[0]?.error)
        .toContain('private address');
    }
    expect(receiver.received).toEqual([]);
    await daemon.restart({ flags });
    receiver.answer = () => ({ status: 302, headers: { location: receiver.url } });
    const redirected = await hook();
    await rename(session_id, 'y');
    await expect
      .poll(async () => (await deliveries(redirected))[0]?.attempts[0])
      .toMatchObject({
        status: 302,
        error: 'redirects are not followed',
      });
  });
});

/** A receiver that accepts connections, reads the request and answers only what the test says. */
async function silentReceiver() {
  const sockets: Socket[] = [];
  const connections = new Set<Socket>();
  const server: Server = createServer((socket) => {
    connections.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => sockets.push(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/`,
    sockets,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

describe('a receiver that does not respond', () => {
  const post = {
    headers: {},
    body: '{}',
    timeout_ms: 10_000,
    allow_private: true,
    signal: new AbortController().signal,
  };

  it('is disconnected after the time of a delivery, however steadily it sends headers', async () => {
    await using silent = await silentReceiver();
    const clock = new VirtualClock();
    const ended = postGuarded({ ...post, url: silent.url, clock }).catch((error) => error.message);
    await expect.poll(() => silent.sockets.length).toBe(1);
    silent.sockets[0]?.write('HTTP/1.1 200 OK\r\nx-a: ');
    for (const byte of 'abc') {
      await clock.advance(3_000);
      silent.sockets[0]?.write(byte);
    }
    await clock.advance(1_000);
    expect(await ended).toBe('no response within 10000 ms');
    expect(clock.pending).toBe(0);
  });

  it('is disconnected after a few informational responses', async () => {
    await using silent = await silentReceiver();
    const clock = new VirtualClock();
    const ended = postGuarded({ ...post, url: silent.url, clock }).catch((error) => error.message);
    await expect.poll(() => silent.sockets.length).toBe(1);
    silent.sockets[0]?.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(20));
    expect(await ended).toContain('informational responses');
  });

  it('holds up neither other tenants nor, alone, other webhooks of its tenant, and /readyz counts it', async () => {
    await using silent = await silentReceiver();
    const clock = new VirtualClock(Date.now());
    await daemon.restart({ clock, flags: { ...flags, tenants: { 'team-a': {} } } });
    const { token } = (await daemon.post('/api/v1/tokens', { scope: 'admin', tenant: 'team-a' })).body;
    const headers = { authorization: `Bearer ${token}` };
    const own = async (url: string) =>
      (await daemon.post('/api/v1/webhooks', { url, events: ['session:updated'] }, { headers })).body;
    const first = await own(silent.url);
    const body = { profile_id: 'foundation/base' };
    const { session_id } = (await daemon.post('/api/v1/sessions', body, { headers })).body;
    await hook();
    for (let at = 0; at < 6; at++) await rename(session_id, `${at}`);
    await receiver.until(({ length }) => length === 6);
    // One webhook has four places, and all of a tenant eight.
    await expect.poll(() => silent.sockets.length).toBe(4);
    await own(silent.url);
    await own(silent.url);
    for (let at = 0; at < 6; at++) await rename(session_id, `again ${at}`);
    await receiver.until(({ length }) => length === 12);
    await expect.poll(() => silent.sockets.length).toBe(8);
    expect((await daemon.get('/readyz')).body.notes).toEqual([]);
    await clock.advance(10_000);
    const notes = async (more: object) => (await daemon.get('/readyz', more)).body.notes.join();
    await expect.poll(() => notes({})).toContain(first.id);
    expect(await notes({ headers })).toMatch(/did not respond in time: \d\.$/);
  });
});

it('the address that is checked is the one that is connected to', async () => {
  const { port } = new URL(receiver.url);
  const asked: string[] = [];
  // A name server that says something else each time.
  const resolve = async (host: string) => {
    asked.push(host);
    return [{ address: asked.length === 1 ? '127.0.0.1' : '93.184.215.14', family: 4 }];
  };
  const post = {
    url: `http://rebinding.example:${port}/hook`,
    headers: {},
    body: '{}',
    timeout_ms: 1_000,
    clock: quietClock,
    signal: new AbortController().signal,
    resolve,
  };
  await expect(postGuarded({ ...post, allow_private: false })).rejects.toThrow('leads to 127.0.0.1');
  expect(asked).toEqual(['rebinding.example']);
  for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '2130706433', '0x7f.1'])
    await expect(
      postGuarded({ ...post, url: `http://${host}:${port}/`, allow_private: false }),
    ).rejects.toThrow('private address');
  expect(receiver.received).toEqual([]);
});

it('no event is lost to its webhook while the daemon is killed again and again', async () => {
  await using workspace = await TempWorkspace.create();
  const home = workspace.resolve('home');
  const environment = { AMPLIFIERD_ALLOW_PRIVATE_WEBHOOKS: 'true' };
  let process = await DaemonProcess.start(home, environment);
  try {
    const json = { profile_id: 'foundation/base', session_id: 's' };
    await process.fetch('/api/v1/sessions', { method: 'POST', json });
    const wish = { url: receiver.url, events: ['session:updated'] };
    const made = await process.fetch('/api/v1/webhooks', { method: 'POST', json: wish });
    receiver.secret = ((await made.json()) as { secret: string }).secret;
    for (let round = 0; round < 3; round++) {
      const patches = Array.from({ length: 12 }, (_, at) =>
        process
          .fetch('/api/v1/sessions/s', { method: 'PATCH', json: { name: `${round}.${at}` } })
          .catch(() => undefined),
      );
      await patches[8];
      await process.kill();
      await Promise.all(patches);
      process = await DaemonProcess.start(home, environment);
    }
    const events = await process.fetch('/api/v1/sessions/s/events?names=session:updated&limit=1000');
    const wanted = ((await events.json()) as { id: string }[]).map(({ id }) => id);
    const told = () => new Set(receiver.received.map(({ body }) => body.data.event_id));
    await receiver.until(() => wanted.every((id) => told().has(id)));
    expect(told()).toEqual(new Set(wanted));
    const ids = new Map(receiver.received.map(({ id, body }) => [body.data.event_id, id]));
    expect(new Set(ids.values()).size).toBe(wanted.length);
    expect(receiver.received.every(({ status }) => status === 204)).toBe(true);
  } finally {
    await process.kill();
  }
});
