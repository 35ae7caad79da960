import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { openDatabase, openSessionStore, run } from '@amplifier/sessions';
import { VirtualClock } from '@amplifier/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { TestDaemon } from '../../test-support/test-daemon.js';
import { MAX_LARGE_ANSWERS, MAX_WAITING_ANSWERS, PAGE_BYTES, READER_STALL_MS } from '../defaults.js';

const MESSAGES = 64;
const LONG = 'x'.repeat(256 * 1024);

let daemon: TestDaemon;
/** 16 MB: more than a connection holds. */
let session_id: string;
const sockets: Socket[] = [];

beforeAll(async () => {
  daemon = await TestDaemon.start();
  session_id = await longSession(daemon);
});
afterAll(() => daemon[Symbol.asyncDispose]());
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function longSession({ record }: TestDaemon): Promise<string> {
  await using store = await openSessionStore(record);
  const log = await store.create({ session_id: `long-${sockets.length}` });
  for (let at = 0; at < MESSAGES; at++) await log.appendMessages([{ role: 'user', content: LONG }]);
  await log.appendEvents(Array.from({ length: 12 }, () => ({ name: 'test:long', data: { text: LONG } })));
  await log.close();
  return log.session_id;
}

async function newToken(): Promise<string> {
  return (await daemon.post('/api/v1/tokens', { scope: 'read', name: 'reader' })).body.token;
}

/** Sends a request and reads nothing of the answer but its beginning. */
async function unread(at: TestDaemon, path: string, token: string): Promise<Socket> {
  const { hostname, port, host } = new URL(at.daemon.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  return socket;
}

/** Resolves when the answer has begun; no more of it is taken. */
async function begun(socket: Socket): Promise<string> {
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  return first.toString('latin1');
}

const fetchAs = (token: string, path: string) =>
  fetch(`${daemon.daemon.url}${path}`, { headers: { authorization: `Bearer ${token}` } });

interface Line {
  seq: number;
}

describe('a long session', () => {
  it('is read in pages of a bounded size, backwards and forwards', async () => {
    for (const start of ['limit=1000', 'after=0']) {
      const seqs: number[] = [];
      let pages = 0;
      let path: string | null = `/api/v1/sessions/${session_id}/transcript?${start}`;
      while (path) {
        const { body, text, headers } = await daemon.get(path);
        expect(text.length).toBeLessThan(PAGE_BYTES + 100_000);
        const page = (body as Line[]).map(({ seq }) => seq);
        if (start.startsWith('after')) seqs.push(...page);
        else seqs.unshift(...page);
        path = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null;
        expect(headers.get('x-has-more')).toBe(String(path !== null));
        pages++;
      }
      expect(seqs).toEqual(Array.from({ length: MESSAGES }, (_, at) => at + 1));
      expect(pages).toBeGreaterThan(10);
    }
  });

  it('shows its events in pages of a bounded size, by itself and among all', async () => {
    const count = (await daemon.get(`/api/v1/sessions/${session_id}`)).body.event_count ?? 0;
    const seqs = async (path: string, after: string) => {
      const found: number[] = [];
      for (let cursor = after; ; ) {
        const { body, text, headers } = await daemon.get(`${path}limit=1000&after=${cursor}`);
        expect(text.length).toBeLessThan(PAGE_BYTES + 100_000);
        if (body.length === 0) return found;
        found.push(...(body as Line[]).map(({ seq }) => seq));
        cursor = headers.get('x-next-cursor') ?? '';
      }
    };
    const own = await seqs(`/api/v1/sessions/${session_id}/events?`, '0');
    expect(own.length).toBeGreaterThanOrEqual(Math.max(12, count));
    expect(own).toEqual(own.map((_, at) => at + 1));
    expect(await seqs(`/api/v1/sessions/${session_id}/events?children=true&`, '0')).toEqual(own);
    expect(await seqs(`/api/v1/events?root_id=${session_id}&`, '0')).toEqual(own);
  });

  it('is exported whole, and searched', async () => {
    const lines = (await daemon.get(`/api/v1/sessions/${session_id}/export`)).text.trim().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ kind: 'end', messages: MESSAGES });
    const { body } = await daemon.get('/api/v1/sessions/search?q=nowhere');
    expect(body).toEqual([]);
  });

  it('is exported at the pace of the reader, and cut off where it cannot be read', async () => {
    await using other = await TestDaemon.start();
    const id = await longSession(other);
    const socket = await unread(other, `/api/v1/sessions/${id}/export`, other.daemon.token);
    expect(await begun(socket)).toContain('200 OK');
    // Nothing that far has been read yet: the daemon finds the damage when it gets there.
    await using database = await openDatabase(other.record);
    const last = 'DELETE FROM messages WHERE place = (SELECT max(place) FROM messages)';
    await database.write(() => run(last));
    let end = '';
    socket.on('data', (chunk: Buffer) => {
      end = (end + chunk.toString('latin1')).slice(-1_000);
    });
    socket.on('error', () => {});
    socket.resume();
    await once(socket, 'close');
    expect(end).not.toContain('"kind":"end"');
    expect(other.log.join('')).toContain(`message ${MESSAGES}: it is missing`);
    expect((await other.get('/healthz')).status).toBe(200);
  });

  it('delays a reader who does not read, and no other', async () => {
    const [slow, other] = [await newToken(), await newToken()];
    const path = `/api/v1/sessions/${session_id}/export`;
    const stuck = await Promise.all(
      Array.from({ length: MAX_LARGE_ANSWERS }, () => unread(daemon, path, slow)),
    );
    await Promise.all(stuck.map(begun));
    let isAnswered = false;
    const next = fetchAs(slow, `/api/v1/sessions/${session_id}/transcript?limit=1`).then((response) => {
      isAnswered = true;
      return response.json();
    });
    for (let count = 0; count < 5; count++) {
      const answer = await fetchAs(other, `/api/v1/sessions/${session_id}/transcript?limit=1`);
      expect(await answer.json()).toHaveLength(1);
      // What holds little in memory is open to the slow one, too.
      expect((await fetchAs(slow, `/api/v1/sessions/${session_id}`)).status).toBe(200);
    }
    expect(isAnswered).toBe(false);
    stuck[0]?.destroy();
    expect(await next).toHaveLength(1);
  });

  it('is refused to a caller for whom too much waits already', async () => {
    const slow = await newToken();
    const path = `/api/v1/sessions/${session_id}/export`;
    const stuck = await Promise.all(
      Array.from({ length: MAX_LARGE_ANSWERS }, () => unread(daemon, path, slow)),
    );
    await Promise.all(stuck.map(begun));
    const short = `/api/v1/sessions/${session_id}/transcript?limit=1`;
    const asked = Array.from({ length: MAX_WAITING_ANSWERS + 1 }, () => fetchAs(slow, short));
    const refused = await Promise.race(asked);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await refused.json()).toMatchObject({ code: 'RATE_LIMITED' });
    for (const socket of stuck) socket.destroy();
    const statuses = (await Promise.all(asked)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(MAX_WAITING_ANSWERS).fill(200), 429]);
  });
});

it('disconnects the reader of a large answer that takes nothing for too long', async () => {
  const clock = new VirtualClock(Date.now());
  await using other = await TestDaemon.start({ clock });
  const id = await longSession(other);
  const socket = await unread(other, `/api/v1/sessions/${id}/export`, other.daemon.token);
  await begun(socket);
  let isClosed = false;
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  while (!isClosed) {
    await clock.advance(READER_STALL_MS / 10);
    await other.get('/healthz');
    // A connection that the other side has left is noticed by writing to it.
    socket.write('\r\n');
  }
  expect(socket.bytesRead).toBeLessThan(MESSAGES * LONG.length);
});

it('stops without waiting for a reader that does not read', async () => {
  await using other = await TestDaemon.start({ flags: { shutdown_timeout_ms: 600_000 } });
  const id = await longSession(other);
  const stuck = await Promise.all(
    Array.from({ length: MAX_LARGE_ANSWERS }, () =>
      unread(other, `/api/v1/sessions/${id}/export`, other.daemon.token),
    ),
  );
  for (const socket of stuck) socket.on('error', () => {});
  await Promise.all(stuck.map(begun));
  // This one waits for its turn; it is refused, or served when the others are disconnected.
  const waits = other.get(`/api/v1/sessions/${id}/transcript`).then(
    ({ status }) => status,
    () => 503,
  );
  await other.get('/healthz');
  await other.daemon.stop();
  expect([200, 503]).toContain(await waits);
  for (const socket of stuck) expect(socket.bytesRead).toBeLessThan(MESSAGES * LONG.length);
});
