import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SqlSessionStore } from '@amplifier/sessions';
import { damageDocument } from '@amplifier/sessions/conformance';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { TestDaemon } from '../../test-support/test-daemon.js';
import { TRANSITIONS, type Transition } from './lifecycle.js';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await TestDaemon.start({ flags: { max_children: 5 } });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const url = (session_id: string, rest = '') => `/api/v1/sessions/${session_id}${rest}`;
const say = (session_id: string, content: string, more: object = {}) =>
  daemon.post(url(session_id, '/messages'), { role: 'user', content, ...more });

/** Readable copies come after the answer. */
const FOLLOWS = { timeout: 100_000, interval: 20 };

describe('the life of a session', () => {
  const ways: Record<string, Transition[]> = {
    created: [],
    active: ['start'],
    completed: ['start', 'complete'],
    failed: ['start', 'fail'],
    terminated: ['terminate'],
  };
  const move = (id: string, step: Transition) =>
    daemon.post(url(id, `/${step}`), step === 'fail' ? { error_message: 'It broke.' } : undefined);

  for (const [from, way] of Object.entries(ways)) {
    for (const step of Object.keys(TRANSITIONS) as Transition[]) {
      const to = (TRANSITIONS[step] as Record<string, string>)[from];
      it(`${from}: ${step} ${to ? `leads to ${to}` : 'is refused'}`, async () => {
        const id = await daemon.session();
        for (const before of way) expect((await move(id, before)).status).toBe(204);
        const answer = await move(id, step);
        expect(answer.status).toBe(to ? 204 : 409);
        if (!to)
          expect(answer.body).toMatchObject({ code: 'INVALID_TRANSITION', from, allowed: expect.any(Array) });
        expect((await daemon.get(url(id))).body.status).toBe(to ?? from);
      });
    }
  }

  it('records when it started and ended, why it failed and how long it took', async () => {
    const id = await daemon.session({ auto_start: true, name: 'first', metadata: { color: 'red' } });
    await daemon.post(url(id, '/fail'), {
      error_message: 'No key.',
      error_details: { provider: 'anthropic' },
    });
    const { body } = await daemon.get(url(id));
    expect(body).toMatchObject({
      status: 'failed',
      error_message: 'No key.',
      error_details: { provider: 'anthropic' },
      name: 'first',
      metadata: { color: 'red' },
    });
    expect(Date.parse(body.ended_at)).toBeGreaterThanOrEqual(Date.parse(body.started_at));
    expect(body.duration_ms).toBe(Date.parse(body.ended_at) - Date.parse(body.created_at));
    const file = await vi.waitFor(async () => {
      const copy = JSON.parse(
        await readFile(join(daemon.home, 'state/sessions', id, 'session.json'), 'utf8'),
      );
      expect(copy.status).toBe('failed');
      return copy;
    }, FOLLOWS);
    expect(Object.keys(file)).toEqual(
      expect.arrayContaining([
        'session_id',
        'parent_session_id',
        'status',
        'created_at',
        'started_at',
        'ended_at',
        'profile_name',
        'mount_plan_path',
        'message_count',
        'agent_invocations',
        'token_usage',
        'error_message',
        'error_details',
      ]),
    );
  });

  it('is told in the query as well as in a body', async () => {
    const ask = (path: string, query: Record<string, string>, body?: object) =>
      daemon.post(`${path}?${new URLSearchParams(query)}`, body);
    const parent = await daemon.session();
    const created = await ask('/api/v1/sessions/', {
      profile_name: 'foundation/base',
      parent_session_id: parent,
    });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ profile_name: 'foundation/base', parent_session_id: parent });
    const id = created.body.session_id;
    await daemon.post(url(id, '/start'));
    const said = { role: 'user', content: 'Hello', agent: 'scout', token_count: '7' };
    expect((await ask(url(id, '/messages'), said)).body).toMatchObject({ ...said, token_count: 7 });
    expect((await ask(url(id, '/messages'), { role: 'odd', content: 'x' })).body.code).toBe(
      'VALIDATION_FAILED',
    );
    const both = await ask(url(id, '/messages'), { role: 'user', content: 'Query.' }, { content: 'Body.' });
    expect(both.body).toMatchObject({ role: 'user', content: 'Body.' });
    const failed = await ask(url(id, '/fail'), { error_message: 'It broke.' }, { provider: 'x' });
    expect(failed.status).toBe(204);
    expect((await daemon.get(url(id))).body).toMatchObject({
      error_message: 'It broke.',
      error_details: { provider: 'x' },
      message_count: 2,
      agent_invocations: 1,
      token_usage: 7,
    });
    const other = await daemon.session({ auto_start: true });
    expect((await ask(url(other, '/fail'), { error_message: 'No details.' })).status).toBe(204);
    expect((await daemon.get(url(other))).body.error_details).toBeNull();
    expect((await daemon.post(url(other, '/fail'))).body.code).toBe('VALIDATION_FAILED');
  });

  it('lists sessions as each is shown by itself, without reading them one by one', async () => {
    const id = await daemon.session({ auto_start: true, metadata: { own: [1] }, name: 'listed' });
    await say(id, 'Hello', { agent: 'scout', token_count: 7 });
    const child = await daemon.session({ parent_session_id: id });
    const { body: fork } = await daemon.post(url(id, '/fork'));
    await daemon.post(url(id, '/fail'), { error_message: 'It broke.', error_details: { at: 1 } });
    const each: unknown[] = [];
    for (const known of [fork.session_id, child, id]) each.push((await daemon.get(url(known))).body);
    const metadata = vi.spyOn(SqlSessionStore.prototype, 'metadata');
    // Whoever writes the readable copies reads each, too.
    await vi.waitFor(async () => {
      metadata.mockClear();
      const { body } = await daemon.get('/api/v1/sessions?limit=3');
      expect(body).toEqual(each);
      expect(metadata).not.toHaveBeenCalled();
    }, FOLLOWS);
  });

  it('shows in lists all that the specification gives a session, and null where there is nothing', async () => {
    const id = await daemon.session({ auto_start: true });
    const { body } = await daemon.get('/api/v1/sessions/active?limit=1000');
    expect(body.find((each: { session_id: string }) => each.session_id === id)).toMatchObject({
      parent_session_id: null,
      status: 'active',
      created_at: expect.any(String),
      started_at: expect.any(String),
      ended_at: null,
      profile_name: 'foundation/base',
      mount_plan_path: 'mount_plan.json',
      message_count: 0,
      agent_invocations: 0,
      token_usage: null,
      error_message: null,
      error_details: null,
    });
    const stored = (await say(id, 'Hello.', { agent: null })).body;
    expect(stored).toMatchObject({ agent: null, token_count: null });
    expect((await daemon.get(url(id, '/transcript'))).body).toEqual([stored]);
  });

  it('needs a profile that exists, and an id that is free', async () => {
    expect((await daemon.post('/api/v1/sessions', { profile_id: 'foundation/none' })).body.code).toBe(
      'PROFILE_NOT_FOUND',
    );
    expect((await daemon.post('/api/v1/sessions', { profile_id: '../x/y' })).body.code).toBe('INVALID_ID');
    expect((await daemon.post('/api/v1/sessions', {})).body.code).toBe('VALIDATION_FAILED');
    const id = await daemon.session({ session_id: 'my-session' });
    expect(id).toBe('my-session');
    const again = await daemon.post('/api/v1/sessions', { profile_id: 'foundation/base', session_id: id });
    expect([again.status, again.body.code]).toEqual([409, 'SESSION_EXISTS']);
    expect(
      (await daemon.post('/api/v1/sessions', { profile_id: 'foundation/base', parent_session_id: 'nobody' }))
        .body.code,
    ).toBe('PARENT_SESSION_NOT_FOUND');
  });

  it('is 404 everywhere for a session that is not there', async () => {
    const answers = [
      ...(['start', 'complete', 'terminate', 'resume'] as const).map((step) => move('session_no', step)),
      say('session_no', 'x'),
      ...['', '/transcript', '/events', '/tree', '/lineage', '/children', '/export', '/mount-plan'].map(
        (rest) => daemon.get(url('session_no', rest)),
      ),
      daemon.call('DELETE', url('session_no')),
      daemon.call('PATCH', url('session_no'), { name: 'x' }),
      daemon.post(url('session_no', '/fork'), {}),
    ];
    for (const { status, body } of await Promise.all(answers))
      expect([status, body.code]).toEqual([404, 'SESSION_NOT_FOUND']);
  });
});

describe('messages', () => {
  it('are taken only while a session is active', async () => {
    const id = await daemon.session();
    expect((await say(id, 'early')).body.code).toBe('SESSION_NOT_STARTED');
    expect(
      (await daemon.post(`${url(id, '/messages')}?auto_start=true`, { role: 'user', content: 'hi' })).status,
    ).toBe(201);
    await daemon.post(url(id, '/complete'));
    expect((await say(id, 'late')).body).toMatchObject({
      code: 'SESSION_CLOSED',
      session_status: 'completed',
    });
  });

  it('are read whole, the last few, or after a cursor', async () => {
    const id = await daemon.session({ auto_start: true });
    for (let at = 1; at <= 7; at++) {
      const { body, headers } = await say(
        id,
        `m${at}`,
        at === 3 ? { token_count: 0 } : { token_count: 10, agent: 'zen-architect' },
      );
      expect(body.seq).toBe(at);
      expect((await daemon.get(headers.get('location') ?? '')).body).toEqual([body]);
    }
    const contents = async (query: string) =>
      (await daemon.get(url(id, `/transcript${query}`))).body.map(
        (line: { content: string }) => line.content,
      );
    expect(await contents('')).toHaveLength(7);
    expect(await contents('?limit=2')).toEqual(['m6', 'm7']);
    expect(await contents('?after=5')).toEqual(['m6', 'm7']);
    expect(await contents('?after=2&limit=2')).toEqual(['m3', 'm4']);
    expect(await contents('?before=3')).toEqual(['m1', 'm2']);
    for (const query of [
      '?limit=0',
      '?limit=-1',
      '?limit=x',
      '?limit=1001',
      '?after=-1',
      '?limit=1&limit=2',
    ]) {
      expect((await daemon.get(url(id, `/transcript${query}`))).body.code).toBe('INVALID_QUERY');
    }
    expect((await daemon.get(url(id))).body).toMatchObject({ message_count: 7, token_usage: 60 });
    const events = (await daemon.get(url(id, '/events?after=1&limit=5'))).body;
    expect(events.map((event: { name: string }) => event.name)).toEqual(['session:status']);
  });

  it('are kept in order and complete when many come at once', async () => {
    const id = await daemon.session({ auto_start: true });
    const answers = await Promise.all(Array.from({ length: 60 }, (_, at) => say(id, `m${at}`)));
    expect(answers.every(({ status }) => status === 201)).toBe(true);
    const lines = (await daemon.get(url(id, '/transcript'))).body;
    expect(lines.map((line: { seq: number }) => line.seq)).toEqual(
      Array.from({ length: 60 }, (_, at) => at + 1),
    );
  });

  it('must have a known role and a bounded size', async () => {
    const id = await daemon.session({ auto_start: true });
    expect((await daemon.post(url(id, '/messages'), { role: 'robot', content: 'x' })).body.code).toBe(
      'VALIDATION_FAILED',
    );
    expect((await daemon.post(url(id, '/messages'), { role: 'user' })).body.code).toBe('VALIDATION_FAILED');
    expect((await say(id, 'x'.repeat(1_100_000))).body.code).toBe('PAYLOAD_TOO_LARGE');
    const blocks = [{ type: 'text', text: 'hello' }];
    expect(
      (await daemon.post(url(id, '/messages'), { role: 'assistant', content: blocks })).body.content,
    ).toEqual(blocks);
  });
});

describe('listings', () => {
  it('show each change of a session that was listed before', async () => {
    await using other = await TestDaemon.start();
    const ids: string[] = [];
    for (let at = 0; at < 3; at++) ids.push(await other.session());
    const [id = '', gone = ''] = ids;
    const listed = async () => (await other.get('/api/v1/sessions')).body as { session_id: string }[];
    const matches = async () => {
      const all = await listed();
      expect(all).toHaveLength(ids.length);
      for (const each of all) expect(each).toEqual((await other.get(url(each.session_id))).body);
      return all.find(({ session_id }) => session_id === id);
    };
    expect(await matches()).toMatchObject({ name: null, status: 'created', message_count: 0 });
    await other.call('PATCH', url(id), { name: 'Näme', metadata: { own: 1 } });
    expect(await matches()).toMatchObject({ name: 'Näme', metadata: { own: 1 } });
    await other.post(url(id, '/start'));
    expect(await matches()).toMatchObject({ status: 'active' });
    await other.post(url(id, '/messages'), { role: 'user', content: 'Hello' });
    expect(await matches()).toMatchObject({ message_count: 1 });
    await other.post(url(id, '/fail'), { error_message: 'It broke.' });
    expect(await matches()).toMatchObject({ status: 'failed', error_message: 'It broke.' });
    await other.call('DELETE', url(gone));
    ids.splice(1, 1);
    expect(await matches()).toMatchObject({ status: 'failed' });
  });

  it('filter before they limit, and go on by cursor while sessions come and go', async () => {
    await using other = await TestDaemon.start();
    const ids: string[] = [];
    for (let at = 0; at < 9; at++) ids.push(await other.session({ auto_start: at % 3 === 0 }));
    const seen: string[] = [];
    let next: string | null = '/api/v1/sessions?status=created&limit=2';
    while (next) {
      const page = await other.get(next);
      expect(page.body.length).toBeLessThanOrEqual(2);
      seen.push(...page.body.map((entry: { session_id: string }) => entry.session_id));
      if (seen.length === 2) ids.push(await other.session());
      next = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? null;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect([...seen].sort()).toEqual([1, 2, 4, 5, 7, 8].map((at) => ids[at]).sort());
    expect((await other.get('/api/v1/sessions?status=active,created&limit=100')).body).toHaveLength(10);
    expect((await other.get('/api/v1/sessions?status=active&status=created&limit=100')).body).toHaveLength(
      10,
    );
    expect((await other.get('/api/v1/sessions?profile_name=foundation/none')).body).toEqual([]);
    expect((await other.get('/api/v1/sessions?since=2099-01-01T00:00:00Z')).body).toEqual([]);
    expect(
      (await other.get('/api/v1/sessions?until=2099-01-01T00:00:00Z&full=false&limit=1')).body[0],
    ).not.toHaveProperty('usage');
    for (const query of ['status=odd', 'limit=0', 'since=yesterday', 'root_only=maybe']) {
      expect((await other.get(`/api/v1/sessions?${query}`)).body.code).toBe('INVALID_QUERY');
    }
    expect((await other.get('/api/v1/sessions?cursor=nonsense')).body.code).toBe('INVALID_CURSOR');
  });

  it('search ids, names and what was said', async () => {
    const id = await daemon.session({ auto_start: true, name: 'Quarterly numbers' });
    await say(id, 'The walrus sang at midnight.');
    const find = async (q: string) =>
      (await daemon.get(`/api/v1/sessions/search?q=${encodeURIComponent(q)}`)).body;
    expect(await find('WALRUS')).toMatchObject([{ session_id: id, match: { field: 'message', seq: 1 } }]);
    expect(await find('quarterly')).toMatchObject([{ session_id: id, match: { field: 'name' } }]);
    expect(await find('no such words')).toEqual([]);
    expect((await daemon.get('/api/v1/sessions/search')).body.code).toBe('INVALID_QUERY');
    const first = await daemon.get('/api/v1/sessions/search?q=foundation&limit=1');
    expect(first.body).toHaveLength(1);
    expect(first.headers.get('x-next-cursor')).toBeTruthy();
  });
});

describe('changing a session', () => {
  it('merges metadata and keeps to the version asked for', async () => {
    const id = await daemon.session({ metadata: { a: 1, b: 2 } });
    const before = await daemon.get(url(id));
    const tag = before.headers.get('etag') ?? '';
    expect((await daemon.get(url(id), { headers: { 'if-none-match': tag } })).status).toBe(304);
    const patched = await daemon.call(
      'PATCH',
      url(id),
      { name: 'new', metadata: { b: null, c: 3 } },
      { headers: { 'if-match': tag } },
    );
    expect(patched.body).toMatchObject({ name: 'new', metadata: { a: 1, c: 3 } });
    expect(patched.body.metadata).not.toHaveProperty('b');
    const stale = await daemon.call('PATCH', url(id), { name: 'other' }, { headers: { 'if-match': tag } });
    expect([stale.status, stale.body.code]).toEqual([412, 'VERSION_MISMATCH']);
    expect((await daemon.post(url(id, '/start'), undefined, { headers: { 'if-match': tag } })).status).toBe(
      412,
    );
    expect((await daemon.call('DELETE', url(id), undefined, { headers: { 'if-match': tag } })).status).toBe(
      412,
    );
    expect((await daemon.call('PATCH', url(id), { name: null })).body.name).toBeNull();
  });
});

describe('removing sessions', () => {
  it('refuses active ones and those with children, unless told otherwise', async () => {
    const parent = await daemon.session({ auto_start: true });
    const child = await daemon.session({ parent_session_id: parent });
    const remove = (query: string) => daemon.call('DELETE', url(parent, query));
    expect((await remove('')).body.code).toBe('SESSION_ACTIVE');
    expect((await remove('?force=true')).body.code).toBe('SESSION_HAS_CHILDREN');
    expect((await remove('?force=true&children=cascade')).status).toBe(204);
    for (const id of [parent, child]) expect((await daemon.get(url(id))).status).toBe(404);
    const kept = await readdir(join(daemon.home, 'state/sessions'));
    for (const id of [parent, child]) expect(kept).not.toContain(id);
    const other = await daemon.session();
    const orphan = await daemon.session({ parent_session_id: other });
    expect((await daemon.call('DELETE', url(other, '?children=orphan'))).status).toBe(204);
    expect((await daemon.get(url(orphan))).body.parent_session_id).toBe(other);
  });

  it('cleans up old ended ones only, and can say beforehand what it would do', async () => {
    await using other = await TestDaemon.start();
    const [done, live, fresh] = [
      await other.session({ auto_start: true }),
      await other.session({ auto_start: true }),
      await other.session(),
    ];
    await other.post(url(done, '/complete'));
    const clean = (body: object) => other.post('/api/v1/sessions/cleanup', body);
    expect((await clean({})).body.removed_count).toBe(0);
    expect((await clean({ older_than_days: -1 })).body.code).toBe('VALIDATION_FAILED');
    expect((await other.post('/api/v1/sessions/cleanup?older_than_days=1.5')).body.code).toBe(
      'INVALID_QUERY',
    );
    expect((await clean({ older_than_days: 0, dry_run: true })).body).toMatchObject({
      removed_count: 0,
      session_ids: [done],
      dry_run: true,
    });
    expect((await other.get(url(done))).status).toBe(200);
    expect((await clean({ older_than_days: 0, keep_last: 1 })).body.session_ids).toEqual([]);
    expect((await clean({ older_than_days: 0 })).body).toMatchObject({
      removed_count: 1,
      session_ids: [done],
    });
    expect((await clean({ older_than_days: 0, statuses: ['created', 'active'] })).body.session_ids).toEqual([
      fresh,
    ]);
    expect((await other.get(url(live))).status).toBe(200);
  });
});

describe('family and copies', () => {
  it('shows what is above and below, and ends all of it when asked', async () => {
    const root = await daemon.session({ auto_start: true });
    const child = await daemon.session({ parent_session_id: root, auto_start: true });
    const grandchild = await daemon.session({ parent_session_id: child });
    const { body: tree } = await daemon.get(url(root, '/tree'));
    expect(tree).toMatchObject({
      truncated: false,
      root: { session_id: root, children: [{ session_id: child, children: [{ session_id: grandchild }] }] },
    });
    expect(
      (await daemon.get(url(grandchild, '/lineage'))).body.map(
        (each: { session_id: string }) => each.session_id,
      ),
    ).toEqual([root, child, grandchild]);
    expect((await daemon.get(url(root, '/children'))).body).toMatchObject([{ session_id: child }]);
    expect((await daemon.get(url(root))).body.agent_invocations).toBe(1);
    expect(
      (await daemon.get('/api/v1/sessions?root_only=true&limit=1000')).body.map(
        (each: { session_id: string }) => each.session_id,
      ),
    ).not.toContain(child);
    expect((await daemon.post(url(root, '/terminate'), { cascade: true })).status).toBe(204);
    for (const id of [root, child, grandchild])
      expect((await daemon.get(url(id))).body.status).toBe('terminated');
    const late = await daemon.post('/api/v1/sessions', {
      profile_id: 'foundation/base',
      parent_session_id: root,
    });
    expect(late.body.code).toBe('PARENT_ENDED');
  });

  it('bounds depth and number of children', async () => {
    let id = await daemon.session();
    const root = id;
    for (let depth = 1; depth <= 3; depth++) id = await daemon.session({ parent_session_id: id });
    const deeper = await daemon.post('/api/v1/sessions', {
      profile_id: 'foundation/base',
      parent_session_id: id,
    });
    expect([deeper.status, deeper.body.code]).toEqual([409, 'DEPTH_EXCEEDED']);
    for (let count = 1; count < 5; count++) await daemon.session({ parent_session_id: root });
    const more = await daemon.post('/api/v1/sessions', {
      profile_id: 'foundation/base',
      parent_session_id: root,
    });
    expect(more.body.code).toBe('TOO_MANY_CHILDREN');
  });

  it('forks at a turn, with a plan of its own', async () => {
    const id = await daemon.session({ auto_start: true, name: 'source' });
    await say(id, 'one');
    await daemon.post(url(id, '/messages'), { role: 'assistant', content: 'first answer' });
    await say(id, 'two');
    const fork = await daemon.post(url(id, '/fork'), { turn: 1, name: 'branch' });
    expect(fork.status).toBe(201);
    expect(fork.body).toMatchObject({
      name: 'branch',
      status: 'created',
      message_count: 2,
      forked_from: { session_id: id, turn: 1 },
    });
    const lines = (await daemon.get(url(fork.body.session_id, '/transcript'))).body;
    expect(lines.map((line: { content: string }) => line.content)).toEqual(['one', 'first answer']);
    const plan = (await daemon.get(url(fork.body.session_id, '/mount-plan'))).body;
    expect(plan.session.session_id).toBe(fork.body.session_id);
    expect((await daemon.post(url(id, '/fork'), { turn: 9 })).body.code).toBe('TURN_NOT_FOUND');
  });

  it('comes back from its export as it was', async () => {
    const id = await daemon.session({ auto_start: true });
    await say(id, 'keep this');
    const exported = await daemon.get(url(id, '/export'));
    expect(exported.headers.get('content-type')).toBe('application/x-ndjson');
    const ndjson = { headers: { 'content-type': 'application/x-ndjson' }, raw: exported.text };
    const copy = await daemon.post('/api/v1/sessions/import?session_id=copied', undefined, ndjson);
    expect([copy.status, copy.body.session_id]).toEqual([201, 'copied']);
    expect((await daemon.get(url('copied', '/transcript'))).body).toMatchObject([{ content: 'keep this' }]);
    expect(
      (await daemon.post('/api/v1/sessions/import?session_id=copied', undefined, ndjson)).body.code,
    ).toBe('SESSION_EXISTS');
    expect(
      (await daemon.post('/api/v1/sessions/import', undefined, { ...ndjson, raw: 'nothing' })).body.code,
    ).toBe('INVALID_EXPORT');
    expect((await daemon.post('/api/v1/sessions/import', {})).body.code).toBe('UNSUPPORTED_MEDIA_TYPE');
    const [first, ...others] = ndjson.raw.split('\n');
    for (const [name, document] of [
      ['grant', {}],
      ['__proto__', { polluted: true }],
      ['bundle', { not: 'a text' }],
    ]) {
      const raw = [first, JSON.stringify({ kind: 'document', name, document }), ...others].join('\n');
      const refused = await daemon.post('/api/v1/sessions/import?session_id=odd', undefined, {
        ...ndjson,
        raw,
      });
      expect([refused.status, refused.body.code]).toEqual([422, 'INVALID_EXPORT']);
    }
    expect((await daemon.get('/api/v1/sessions/odd')).status).toBe(404);
  });
});

describe('the files', () => {
  it('show every session when they are lost, and a damaged session does not hide the others', async () => {
    await using other = await TestDaemon.start();
    const [good, bad] = [await other.session({ name: 'good' }), await other.session()];
    await other.daemon.stop();
    const folder = join(other.home, 'state/sessions');
    const index = JSON.parse(await readFile(join(folder, 'index.json'), 'utf8'));
    expect(index.sessions[good]).toMatchObject({
      session_id: good,
      name: 'good',
      status: 'created',
      profile_name: 'foundation/base',
      created_at: expect.any(String),
      message_count: 0,
    });
    await rm(folder, { recursive: true });
    await damageDocument(join(other.home, 'state/record.db'), bad, 'session:created', 'garbage');
    await other.restart();
    const listed = (await other.get('/api/v1/sessions')).body.map(
      (each: { session_id: string }) => each.session_id,
    );
    expect(listed.sort()).toEqual([good, bad].sort());
    expect((await other.get(url(good))).body.name).toBe('good');
    const damaged = await other.get(url(bad));
    expect([damaged.status, damaged.body.code]).toEqual([500, 'SESSION_CORRUPT']);
    expect(damaged.text).not.toContain(other.home);
  });

  it('follow the record, the list of all sessions too, with null where there is nothing', async () => {
    const [id, other] = [await daemon.session(), await daemon.session()];
    const folder = join(daemon.home, 'state/sessions');
    const listed = async () => JSON.parse(await readFile(join(folder, 'index.json'), 'utf8')).sessions;
    await vi.waitFor(async () => expect(await listed()).toHaveProperty(other), FOLLOWS);
    await daemon.post(url(id, '/start'));
    await daemon.post(url(id, '/messages'), { role: 'user', content: 'Hello' });
    await daemon.call('DELETE', url(other));
    await vi.waitFor(async () => {
      const now = await listed();
      expect(now[id]).toMatchObject({ status: 'active', message_count: 1 });
      expect(now).not.toHaveProperty(other);
    }, FOLLOWS);
    const [line = ''] = (await readFile(join(folder, id, 'transcript.jsonl'), 'utf8')).split('\n');
    expect(JSON.parse(line)).toMatchObject({ content: 'Hello', agent: null, token_count: null });
  });

  it('are readable by their owner only', async () => {
    const id = await daemon.session();
    const folder = join(daemon.home, 'state/sessions', id);
    await vi.waitFor(() => stat(join(folder, 'session.json')), FOLLOWS);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const file of await readdir(folder)) expect((await stat(join(folder, file))).mode & 0o077).toBe(0);
  });
});
