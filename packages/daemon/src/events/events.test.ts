import { connect } from 'node:net';
import { VirtualClock } from '@amplifier/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DaemonProcess } from '../../test-support/daemon-process.js';
import { EventReader } from '../../test-support/event-reader.js';
import { TestDaemon } from '../../test-support/test-daemon.js';
import { ScopedTokens } from '../auth/scoped-tokens.js';

let daemon: TestDaemon;
beforeEach(async () => {
  daemon = await TestDaemon.start();
});
afterEach(() => daemon[Symbol.asyncDispose]());

const open = (path: string, lastEventId?: string) =>
  EventReader.open(daemon.daemon.url + path, daemon.daemon.token, { lastEventId });

/** Every change of the name is one event. */
async function rename(session_id: string, count: number, prefix = 'n'): Promise<void> {
  for (let at = 1; at <= count; at++) {
    const answer = await daemon.call('PATCH', `/api/v1/sessions/${session_id}`, { name: `${prefix}${at}` });
    expect(answer.status).toBe(200);
  }
}

const seqs = (reader: EventReader) => reader.events.map(({ data }) => data.seq);

describe('the events of a session', () => {
  it('are followed from the first one on, each with its position in the feed as id', async () => {
    const session_id = await daemon.session();
    await rename(session_id, 2);
    await using reader = await open(`/api/v1/sessions/${session_id}/events`);
    expect(reader.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const synced = await reader.until(({ event }) => event === 'synced');
    expect(seqs(reader)).toEqual([1, 2, 3]);
    expect(synced.data).toEqual({ after: synced.id });
    await rename(session_id, 2, 'later');
    await reader.untilCount(5);
    const ids = reader.events.map(({ id }) => id ?? '');
    for (const id of ids) expect(id).toMatch(/^p\d+$/);
    expect(new Set(ids).size).toBe(5);
    expect(reader.events.at(-1)?.data).toMatchObject({ session_id, data: { name: 'later2' } });
  });

  it('go on after Last-Event-ID, which goes before `after`', async () => {
    const session_id = await daemon.session();
    await rename(session_id, 5);
    await using reader = await open(`/api/v1/sessions/${session_id}/events?after=1`, '4');
    await reader.until(({ event }) => event === 'synced');
    expect(seqs(reader)).toEqual([5, 6]);
    await using other = await open(`/api/v1/sessions/${session_id}/events?after=5`);
    await other.until(({ event }) => event === 'synced');
    expect(seqs(other)).toEqual([6]);
    await using by = await open(`/api/v1/sessions/${session_id}/events`, reader.events[0]?.id ?? '');
    await by.until(({ event }) => event === 'synced');
    expect(seqs(by)).toEqual([6]);
  });

  it('have ids that are positions in every other stream', async () => {
    const root = await daemon.session();
    const path = `/api/v1/mount-plans/${root}/sub-session`;
    const child = (await daemon.post(path, {})).body.session.session_id as string;
    await rename(child, 2);
    await rename(root, 2);
    await using reader = await open(`/api/v1/sessions/${child}/events`);
    const { id } = await reader.until(({ data }) => data.data?.name === 'n1');
    for (const [stream, wanted] of [
      [`/api/v1/sessions/${root}/events`, [root, root]],
      [`/api/v1/sessions/${root}/events?children=true`, [child, root, root]],
      [`/api/v1/events?root_id=${root}`, [child, root, root]],
      ['/api/v1/events?names=session:updated', [child, root, root]],
    ] as const) {
      await using other = await open(stream, id ?? '');
      await other.until(({ event }) => event === 'synced');
      expect(
        other.events.map(({ data }) => data.session_id),
        stream,
      ).toEqual(wanted);
    }
  });

  it('have ids that stay short, however many descendants there are', async () => {
    const root = await daemon.session();
    for (let at = 0; at < 5; at++) await daemon.post(`/api/v1/mount-plans/${root}/sub-session`, {});
    await using reader = await open(`/api/v1/sessions/${root}/events?children=true`);
    await reader.until(({ event }) => event === 'synced');
    expect(new Set(reader.events.map(({ data }) => data.session_id)).size).toBe(6);
    for (const { id } of reader.events) expect(id?.length).toBeLessThan(10);
  });

  it('come by name when names are given, and the id moves on all the same', async () => {
    const session_id = await daemon.session();
    await rename(session_id, 3);
    await daemon.post(`/api/v1/sessions/${session_id}/start`);
    await using reader = await open(`/api/v1/sessions/${session_id}/events?names=session:sta*,other`);
    const synced = await reader.until(({ event }) => event === 'synced');
    expect(reader.events.map(({ event }) => event)).toEqual(['session:status']);
    const { headers } = await daemon.get('/api/v1/events');
    expect(synced.id).toBe(headers.get('x-next-cursor'));
  });

  it('include those of sessions below when asked, old and new, and resume in the middle', async () => {
    const root = await daemon.session();
    const path = `/api/v1/mount-plans/${root}/sub-session`;
    const child = (await daemon.post(path, {})).body.session.session_id as string;
    await rename(child, 2);
    await using reader = await open(`/api/v1/sessions/${root}/events?children=true`);
    await reader.until(({ event }) => event === 'synced');
    const before = reader.events.length;
    const grandchild = (await daemon.post(`/api/v1/mount-plans/${child}/sub-session`, {})).body.session
      .session_id as string;
    await rename(grandchild, 2);
    await rename(root, 1);
    const stored = async () =>
      (
        await Promise.all(
          [root, child, grandchild].map(
            async (id) => (await daemon.get(`/api/v1/sessions/${id}/events`)).body,
          ),
        )
      ).flat() as { id: string }[];
    const all = await stored();
    await reader.untilCount(all.length);
    const ids = (frames: { data: { id: string } }[]) => frames.map(({ data }) => data.id);
    expect(ids(reader.events).sort()).toEqual(all.map(({ id }) => id).sort());
    // From any place in the middle exactly the rest follows.
    for (const at of [0, 1, before, before + 2, reader.events.length - 1]) {
      await using resumed = await open(
        `/api/v1/sessions/${root}/events?children=true`,
        reader.events[at]?.id ?? '',
      );
      await resumed.until(({ event }) => event === 'synced');
      expect(ids(resumed.events).sort()).toEqual(ids(reader.events.slice(at + 1)).sort());
    }
    // A branch is followed without its siblings.
    await using branch = await open(`/api/v1/sessions/${child}/events?children=true`);
    await branch.until(({ event }) => event === 'synced');
    await daemon.post(path, {});
    await rename(grandchild, 1, 'again');
    await branch.until(({ data }) => data.data?.name === 'again1');
    expect(new Set(branch.events.map(({ data }) => data.session_id))).toEqual(new Set([child, grandchild]));
  });

  it('are pages of JSON for those who do not ask for a stream', async () => {
    const session_id = await daemon.session();
    await rename(session_id, 4);
    const first = await daemon.get(`/api/v1/sessions/${session_id}/events?limit=3`);
    expect(first.body.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2, 3]);
    const next = first.headers.get('link')?.match(/<(.+)>/)?.[1] ?? '';
    expect((await daemon.get(next)).body.map(({ seq }: { seq: number }) => seq)).toEqual([4, 5]);
    const child = (await daemon.post(`/api/v1/mount-plans/${session_id}/sub-session`, {})).body.session
      .session_id;
    const page = await daemon.get(`/api/v1/sessions/${session_id}/events?children=true`);
    expect(page.body.some((event: { session_id: string }) => event.session_id === child)).toBe(true);
    const rest = `/api/v1/sessions/${session_id}/events?children=true&after=${page.headers.get('x-next-cursor')}`;
    expect((await daemon.get(rest)).body).toEqual([]);
  });

  it('are refused for a session that is not there and a place that is none', async () => {
    const session_id = await daemon.session();
    const headers = { accept: 'text/event-stream' };
    expect((await daemon.get('/api/v1/sessions/none/events', { headers })).body.code).toBe(
      'SESSION_NOT_FOUND',
    );
    for (const after of ['x', '1~', '-1', '1.2048.0', '12~abcdefgh.3', `12${'~abcdefgh.3'.repeat(1_000)}`]) {
      for (const path of [`/api/v1/sessions/${session_id}/events`, '/api/v1/events'])
        for (const options of [{ headers }, {}]) {
          const { status, body } = await daemon.get(`${path}?after=${after}`, options);
          expect([status, body.code]).toEqual([400, 'INVALID_CURSOR']);
          expect(body.detail).toContain('Start again without Last-Event-ID');
        }
    }
    // The seq of an event is a position in the events of its session only.
    expect((await daemon.get('/api/v1/events?after=12', { headers })).body.code).toBe('INVALID_CURSOR');
  });

  it('are read page by page with `before`', async () => {
    const session_id = await daemon.session();
    await rename(session_id, 4);
    const path = `/api/v1/sessions/${session_id}/events?before=4&limit=2`;
    const first = await daemon.get(path);
    expect(first.body.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2]);
    const next = first.headers.get('link')?.match(/<(.+)>/)?.[1] ?? '';
    expect((await daemon.get(next)).body.map(({ seq }: { seq: number }) => seq)).toEqual([3]);
    for (const [before, after, seqs] of [
      [0, 0, []],
      [1, 0, []],
      [3, 4, []],
      [99, 3, [4, 5]],
    ] as const) {
      const query = `before=${before}&after=${after}`;
      const { body } = await daemon.get(`/api/v1/sessions/${session_id}/events?${query}`);
      expect(
        body.map(({ seq }: { seq: number }) => seq),
        query,
      ).toEqual(seqs);
    }
  });
});

describe('the events of all sessions', () => {
  it('come in one order, and go on after an id without gap or repeat, also after a restart', async () => {
    const [a, b] = [await daemon.session(), await daemon.session()];
    // The creations may still be on their way to the feed.
    const path = '/api/v1/events?names=session:updated';
    const reader = await open(path);
    const { id: start } = await reader.until(({ event }) => event === 'synced');
    await Promise.all([rename(a, 5), rename(b, 5)]);
    const events = await reader.untilCount(10);
    expect(new Set(events.map(({ data }) => data.id)).size).toBe(10);
    await daemon.restart();
    expect((await reader.until(({ event }) => event === 'shutdown')).id).toBe(events.at(-1)?.id);
    await rename(a, 1, 'restarted');
    for (const [at, id] of [start, events[0]?.id, events[4]?.id, events[9]?.id].entries()) {
      await using again = await open(path, id ?? '');
      await again.until(({ data }) => data.data?.name === 'restarted1');
      expect(again.events.length).toBe([11, 10, 6, 1][at]);
    }
    const page = await daemon.get(`/api/v1/events?after=${events[7]?.id}`);
    expect(page.body.map(({ id }: { id: string }) => id).slice(0, 2)).toEqual(
      events.slice(8).map(({ data }) => data.id),
    );
    const now = await daemon.get('/api/v1/events');
    expect(now.body).toEqual([]);
    expect(now.headers.get('x-next-cursor')).toMatch(/^p\d+$/);
    await reader[Symbol.asyncDispose]();
  });

  it('start at the position that the headers and the first id of the stream name', async () => {
    await daemon.session();
    const { url, token } = daemon.daemon;
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
    const stream = await fetch(`${url}/api/v1/events`, { headers });
    const start = stream.headers.get('x-next-cursor');
    expect(start).toMatch(/^p\d+$/);
    const { value } = (await stream.body?.getReader().read()) ?? {};
    expect(new TextDecoder().decode(value)).toMatch(new RegExp(`^id: ${start}\\n`));
  });

  it('say so when a place is none of theirs, and go on from now', async () => {
    const session_id = await daemon.session();
    for (const [path, id] of [
      ['/api/v1/events?names=session:updated', 'p999999'],
      [`/api/v1/sessions/${session_id}/events`, 'p999999'],
      [`/api/v1/sessions/${session_id}/events?children=true`, 'p999999'],
      [`/api/v1/sessions/${session_id}/events`, '999'],
    ] as const) {
      await using reader = await open(path, id);
      await reader.until(({ event }) => event === 'reset');
      await rename(session_id, 1);
      await reader.untilCount(1);
      expect(reader.events[0]?.event).toBe('session:updated');
    }
  });
});

describe('stored messages', () => {
  const say = (id: string, content: string) =>
    daemon.post(`/api/v1/sessions/${id}/messages`, { role: 'user', content });
  const transcript = (id: string) => daemon.get(`/api/v1/sessions/${id}/transcript`);
  const contents = (reader: EventReader) =>
    reader.events.filter(({ event }) => event === 'message').map(({ data }) => data.message.content);

  it('come with the events when asked for, as in the transcript, and once across reconnects', async () => {
    const id = await daemon.session({ auto_start: true });
    for (const content of ['one', 'two']) await say(id, content);
    const path = `/api/v1/sessions/${id}/events?messages=true`;
    await using reader = await open(path);
    await reader.until(({ event }) => event === 'synced');
    await say(id, 'three');
    await rename(id, 1);
    const last = await reader.until(({ event }) => event === 'session:updated');
    expect(contents(reader)).toEqual(['one', 'two', 'three']);
    const frames = reader.events.filter(({ event }) => event === 'message');
    expect(frames.map(({ data }) => data)).toEqual(
      (await transcript(id)).body.map((message: { seq: number }) => ({
        session_id: id,
        root_id: id,
        seq: message.seq,
        message,
      })),
    );
    for (const [at, rest] of [['two', 'three'], ['three'], []].entries()) {
      await using again = await open(path, frames[at]?.id ?? '');
      await again.until(({ id: position }) => position === last.id);
      expect(contents(again)).toEqual(rest);
    }
  });

  it('follow a transcript from its position, in the streams of its session, its tree and all', async () => {
    const root = await daemon.session({ auto_start: true });
    const child = (await daemon.post(`/api/v1/mount-plans/${root}/sub-session`, {})).body.session
      .session_id as string;
    await daemon.post(`/api/v1/sessions/${child}/start`);
    await say(child, 'before');
    const position = (await transcript(child)).headers.get('x-feed-position') ?? '';
    const streams = [
      `/api/v1/sessions/${child}/events?messages=true`,
      `/api/v1/sessions/${root}/events?children=true&messages=true`,
      `/api/v1/events?root_id=${root}&messages=true&names=none`,
      '/api/v1/events?messages=true&names=none',
    ];
    const readers = await Promise.all(streams.map((path) => open(path, position)));
    await say(child, 'after');
    await say(root, 'of the root');
    for (const [at, reader] of readers.entries()) {
      await reader.until(({ data }) => data.message?.content === (at === 0 ? 'after' : 'of the root'));
      expect(contents(reader)).toEqual(at === 0 ? ['after'] : ['after', 'of the root']);
      await reader[Symbol.asyncDispose]();
    }
  });

  it('are left out of streams and pages that do not ask for them', async () => {
    const id = await daemon.session({ auto_start: true });
    await say(id, 'one');
    await using reader = await open(`/api/v1/sessions/${id}/events`);
    await say(id, 'two');
    await rename(id, 1);
    await reader.until(({ event }) => event === 'session:updated');
    expect(reader.events.filter(({ event }) => event === 'message')).toEqual([]);
    const { body } = await daemon.get(`/api/v1/sessions/${id}/events`);
    expect(body.map(({ name }: { name: string }) => name)).not.toContain('message');
  });
});

describe('a stream', () => {
  it('shows that it is alive while nothing happens', async () => {
    const clock = new VirtualClock();
    await daemon.restart({ clock });
    const session_id = await daemon.session();
    await using reader = await open(`/api/v1/sessions/${session_id}/events`);
    await reader.until(({ event }) => event === 'synced');
    await clock.advance(15_000);
    await reader.untilHeartbeat();
    await clock.advance(15_000);
    await reader.untilHeartbeat();
  });

  it('ends when its token is revoked', async () => {
    const clock = new VirtualClock();
    await daemon.restart({ clock });
    const tokens = new ScopedTokens(daemon.record);
    const { token } = await tokens.create({ scope: 'read' }, clock);
    const session_id = await daemon.session();
    for (const path of ['/api/v1/events', `/api/v1/sessions/${session_id}/events`]) {
      const { token: other, record: made } = await tokens.create({ scope: 'read' }, clock);
      await using kept = await EventReader.open(daemon.daemon.url + path, token);
      await using reader = await EventReader.open(daemon.daemon.url + path, other);
      await reader.until(({ event }) => event === 'synced');
      await kept.until(({ event }) => event === 'synced');
      await tokens.revoke(made.id);
      await clock.advance(15_000);
      await reader.until(({ event }) => event === 'revoked');
      expect(await reader.next()).toBeNull();
      await kept.untilHeartbeat();
    }
  });

  it('is refused when there are as many as allowed', async () => {
    await daemon.restart({ flags: { max_followers: 1 } });
    await using _ = await open('/api/v1/events');
    const refused = await daemon.get('/api/v1/events', { headers: { accept: 'text/event-stream' } });
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      503,
      'OVERLOADED',
      '1',
    ]);
  });

  it('of one token or tenant are refused while others still get theirs', async () => {
    await daemon.restart({ flags: { max_followers: 8, tenants: { 'team-a': {}, 'team-b': {} } } });
    const token = async (tenant: string) =>
      (await daemon.post('/api/v1/tokens', { scope: 'read', tenant })).body.token as string;
    const left = new AbortController();
    // A response without references is collected, which closes its stream.
    const streams: Response[] = [];
    /** Opens streams until one is refused; returns how many were opened. */
    const follow = async (bearer: string) => {
      for (let opened = 0; ; opened++) {
        const stream = await fetch(`${daemon.daemon.url}/api/v1/events`, {
          headers: { authorization: `Bearer ${bearer}`, accept: 'text/event-stream' },
          signal: left.signal,
        });
        if (stream.status === 503) return opened;
        expect(stream.status).toBe(200);
        streams.push(stream);
      }
    };
    const first = await token('team-a');
    expect(await follow(first)).toBe(3);
    expect(await follow(await token('team-a'))).toBe(1);
    expect(await follow(await token('team-a'))).toBe(0);
    expect(await follow(await token('team-b'))).toBe(2);
    // The daemon's own token may use what is left, and closed streams are free again.
    expect(await follow(daemon.daemon.token)).toBe(2);
    left.abort();
    await expect
      .poll(async () => (await daemon.get('/metrics')).text)
      .toMatch(/^amplifierd_\w*followers\w* 0$/m);
    await daemon.restart();
  });

  it('whose reader stops reading harms nobody, stays bounded, and catches up exactly', async () => {
    const session_id = await daemon.session();
    const { url, token } = daemon.daemon;
    const { hostname, port } = new URL(url);
    const slow = connect({ host: hostname, port: Number(port) });
    let text = '';
    slow.write(
      `GET /api/v1/sessions/${session_id}/events HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\n\r\n`,
    );
    await new Promise<void>((resolve) =>
      slow.on('data', (chunk) => {
        text += chunk;
        if (text.includes('event: synced')) resolve();
      }),
    );
    slow.pause();
    await using reader = await open(`/api/v1/sessions/${session_id}/events`);
    const metadata = (at: number) => ({ metadata: { at, filler: 'x'.repeat(60_000) } });
    const count = 150;
    for (let at = 1; at <= count; at++)
      expect((await daemon.call('PATCH', `/api/v1/sessions/${session_id}`, metadata(at))).status).toBe(200);
    await reader.untilCount(count + 1);
    expect(seqs(reader)).toEqual(Array.from({ length: count + 1 }, (_, at) => at + 1));
    expect(text).not.toContain('event: gap');
    slow.resume();
    await new Promise<void>((resolve) =>
      slow.on('data', () => {
        if (text.includes(`"seq":${count + 1},`, text.length - 500_000)) resolve();
      }),
    );
    slow.destroy();
    expect(text).toContain('event: gap');
    const ids = [...text.matchAll(/^data: \{"seq":(\d+)/gm)].map(([, seq]) => Number(seq));
    expect(ids).toEqual(Array.from({ length: count + 1 }, (_, at) => at + 1));
  });

  it('sees neither gap nor repeat while the daemon is killed and started again', async () => {
    await using home = await TestDaemon.start();
    await home.daemon.stop();
    let process = await DaemonProcess.start(home.home);
    try {
      const created = await process.fetch('/api/v1/sessions', {
        method: 'POST',
        json: { profile_id: 'foundation/base', session_id: 's' },
      });
      expect(created.status).toBe(201);
      const paths = [
        '/api/v1/sessions/s/events',
        '/api/v1/sessions/s/events?children=true',
        '/api/v1/events?names=session:updated',
      ];
      const start = (await process.fetch('/api/v1/events')).headers.get('x-next-cursor') ?? '';
      const places: (string | undefined)[] = [undefined, undefined, start];
      const got: string[][] = [[], [], []];
      for (let round = 0; round < 4; round++) {
        const { url, token } = process;
        const readers = await Promise.all(
          paths.map((path, at) => EventReader.open(url + path, token, { lastEventId: places[at] })),
        );
        const reading = readers.map(async (reader) => {
          while (await reader.next());
        });
        // Killed in the middle: the last ones are stored, but nobody has been told of them.
        const patches = Array.from({ length: 20 }, (_, at) =>
          process
            .fetch('/api/v1/sessions/s', { method: 'PATCH', json: { name: `${round}.${at}` } })
            .catch(() => undefined),
        );
        await patches[10];
        await process.kill();
        await Promise.all([...patches, ...reading]);
        readers.forEach((reader, at) => {
          places[at] = reader.lastEventId;
          got[at]?.push(...reader.events.map(({ data }) => data.id));
        });
        process = await DaemonProcess.start(home.home);
      }
      const stored = (await (await process.fetch('/api/v1/sessions/s/events?limit=1000')).json()) as {
        id: string;
      }[];
      for (const [at, path] of paths.entries()) {
        const wanted = stored.slice(at === 2 ? 1 : 0).map(({ id }) => id);
        await using last = await EventReader.open(process.url + path, process.token, {
          lastEventId: places[at],
        });
        await last.untilCount(wanted.length - (got[at]?.length ?? 0));
        expect([...(got[at] ?? []), ...last.events.map(({ data }) => data.id)], path).toEqual(wanted);
      }
    } finally {
      await process.kill();
    }
  });
});
