import assert from 'node:assert/strict';
import type {
  ExportedSession,
  FeedEntry,
  FeedPage,
  Range,
  SessionExport,
  SessionOutline,
  SessionStore,
  SessionVersion,
} from '../src/index.js';
import { feedPages, messagePages } from '../src/index.js';
import { type ConformanceCase, conformanceCase, refuses, take } from './conformance-case.js';
import type { StoreHarness } from './store-harness.js';

const user = (content: string) => ({ role: 'user' as const, content });
const says = (content: string) => ({ role: 'assistant' as const, content });

/** Reading, listing, following, forking and letting go. */
export const storeReadingCases: readonly ConformanceCase<StoreHarness>[] = [
  conformanceCase('any part of a transcript can be read by seq', async (harness) => {
    const store = await harness.open();
    const log = await store.create();
    const long = 'x'.repeat(2_000);
    await log.appendMessages(Array.from({ length: 300 }, (_, at) => user(`${at + 1} ${long}`)));
    const seqs = async (range: object) => (await store.messages(log.session_id, range)).map(({ seq }) => seq);
    assert.deepEqual(await seqs({ after: 298 }), [299, 300]);
    assert.deepEqual(await seqs({ after: 150, limit: 3 }), [151, 152, 153]);
    assert.deepEqual(await seqs({ after: 10, before: 13 }), [11, 12]);
    assert.deepEqual(await seqs({ after: 300 }), []);
    assert.equal((await seqs({})).length, 300);
    assert.deepEqual(
      (await store.tail(log.session_id, 3)).map(({ seq }) => seq),
      [298, 299, 300],
    );
    assert.equal((await store.tail(log.session_id, 1_000)).length, 300);
    await refuses('INVALID_QUERY', () => store.tail(log.session_id, 0));
    await refuses('INVALID_QUERY', () => store.messages(log.session_id, { limit: -1 }));
    assert.deepEqual(
      (await store.events(log.session_id, { limit: 1 })).map(({ name }) => name),
      ['session:created'],
    );
  }),

  conformanceCase('a whole tree can be listed page by page, and nothing else with it', async (harness) => {
    const store = await harness.open();
    const make = async (session: object) => {
      const log = await store.create(session);
      await log.close();
      return log.session_id;
    };
    const root = await make({});
    const child = await make({ parent_id: root });
    const grandchild = await make({ parent_id: child });
    await make({ parent_id: await make({}) });
    const first = await store.list({ root_id: root, limit: 2 });
    const cursor = first.next_cursor ?? '';
    const second = await (await harness.open('other')).list({ root_id: root, cursor });
    assert.deepEqual([first.sessions.length, second.sessions.length, second.next_cursor], [2, 1, null]);
    assert.deepEqual(
      [...first.sessions, ...second.sessions].map(({ session_id }) => session_id).sort(),
      [root, child, grandchild].sort(),
    );
    await store.delete(grandchild);
    assert.equal((await store.list({ root_id: root })).sessions.length, 2);
  }),

  conformanceCase(
    'a listing is filtered, newest first, and its pages hold while sessions come and go',
    async (harness) => {
      const store = await harness.open();
      const ids: string[] = [];
      for (let at = 0; at < 12; at++) {
        const log = await store.create({ agent_name: at % 2 ? 'odd' : 'even', profile_name: 'p' });
        if (at % 3 === 0) await log.transition('active');
        await log.close();
        ids.push(log.session_id);
      }
      const expected = [...ids].reverse();
      const first = await store.list({ limit: 5 });
      assert.deepEqual(
        first.sessions.map(({ session_id }) => session_id),
        expected.slice(0, 5),
      );
      await store.create();
      await store.delete(expected[6] as string, { force: true });
      const cursor = first.next_cursor ?? '';
      const second = await (await harness.open('other')).list({ limit: 100, cursor });
      assert.deepEqual(
        second.sessions.map(({ session_id }) => session_id),
        [expected[5], ...expected.slice(7)],
      );
      assert.equal(second.next_cursor, null);
      assert.equal((await store.list({ agent_name: 'even', profile_name: 'p' })).sessions.length, 6);
      assert.deepEqual((await store.list({ status: [] })).sessions, []);
      const active = await store.list({ status: 'active' });
      assert.ok(active.sessions.length >= 3 && active.sessions.every(({ status }) => status === 'active'));
      assert.equal(
        (await store.list({ status: ['active', 'created'], parent_id: null })).sessions.length,
        12,
      );
      for (const limit of [0, -1, 1.5, 1_001]) await refuses('INVALID_QUERY', () => store.list({ limit }));
      await refuses('INVALID_CURSOR', () => store.list({ cursor: 'nonsense' }));
    },
  ),

  conformanceCase('an outline is all that is known of a session but its plan', async (harness) => {
    const store = await harness.open();
    const root = await store.create({ config: { tools: ['a'] }, working_dir: '/w', extra: { own: 1 } });
    await root.appendMessages([{ ...user('Hello'), token_count: 3 }]);
    const child = await store.create({ parent_id: root.session_id, agent_name: 'x' });
    await child.transition('active');
    const failed = { error: { code: 'E', message: 'It broke.' } };
    await child.transition('failed', { ...failed, patch: { name: 'n', extra: { more: [2] } } });
    const fork = await store.fork(root.session_id);
    for (const log of [root, child, fork]) await log.close();
    const { sessions, next_cursor } = await store.outlines({ limit: 2 });
    const rest = await (await harness.open('other')).outlines({ cursor: next_cursor ?? '' });
    const ids = [fork, child, root].map(({ session_id }) => session_id);
    const whole = await Promise.all(ids.map((id) => store.metadata(id)));
    const expected = whole.map((metadata) => ({ ...metadata, config: null }));
    // Sessions of one millisecond are in the order of their ids.
    const place = ({ created, session_id }: (typeof expected)[0]) => `${created} ${session_id}`;
    const newestFirst = [...expected].sort((a, b) => (place(a) < place(b) ? 1 : -1));
    assert.deepEqual([...sessions, ...rest.sessions], newestFirst);
    assert.equal(rest.next_cursor, null);
    assert.deepEqual(
      (await store.outlines({ parent_id: root.session_id, root_id: root.session_id })).sessions,
      [expected[1]],
    );
  }),

  conformanceCase(
    'the version of a session changes with everything that is stored of it',
    async (harness) => {
      const store = await harness.open();
      const other = await harness.open('other');
      const log = await store.create();
      const seen = new Set<string>();
      const look = async () => {
        const { created, event_count, message_count } = await store.metadata(log.session_id);
        const version = await other.version(log.session_id);
        assert.deepEqual(version, { session_id: log.session_id, created, event_count, message_count });
        seen.add(JSON.stringify(version));
      };
      await look();
      await log.appendMessages([user('Hello')]);
      await look();
      await log.update({ name: 'n' });
      await look();
      assert.equal(seen.size, 3);
      await log.close();
      await store.delete(log.session_id);
      await assert.rejects(other.version(log.session_id), { code: 'SESSION_NOT_FOUND' });
      await assert.rejects(other.version('../x'), { code: 'INVALID_SESSION_ID' });
    },
  ),

  conformanceCase('a page of outlines ends with its bytes, known or read', async (harness) => {
    const store = await harness.open();
    const ids: string[] = [];
    for (let at = 0; at < 20; at++) {
      const log = await store.create({ extra: { text: 'x'.repeat(at === 7 ? 50_000 : 5_000) } });
      await log.close();
      ids.push(log.session_id);
    }
    for (const text of [undefined, 'y'.repeat(7_000)]) {
      const found: string[] = [];
      const sizes: number[] = [];
      for (let cursor: string | undefined, isLast = false; !isLast; ) {
        const seen: string[] = [];
        const page = await store.outlines({ limit: 18, bytes: 20_000, cursor }, ({ session_id }) => {
          seen.push(session_id);
          return text;
        });
        sizes.push(page.sessions.length);
        for (const [at, each] of page.sessions.entries())
          found.push(typeof each === 'string' ? (seen[at] ?? '') : each.session_id);
        cursor = page.next_cursor ?? undefined;
        isLast = page.next_cursor === null;
      }
      assert.deepEqual([...found].sort(), [...ids].sort());
      assert.ok(sizes.length >= 7 && Math.max(...sizes) <= 3 && Math.min(...sizes) >= 1, String(sizes));
    }
  }),

  conformanceCase(
    'an outline is not read again while the version of its session is known',
    async (harness) => {
      const [store, other] = [await harness.open(), await harness.open('other')];
      const ids: string[] = [];
      for (let at = 0; at < 20; at++) {
        const log = await store.create({ name: `number ${at}` });
        await log.close();
        ids.unshift(log.session_id);
      }
      const known = new Map<string, string>();
      const key = (version: SessionVersion) =>
        JSON.stringify([version.session_id, version.created, version.event_count, version.message_count]);
      const look = async (limit = 20) => {
        const { sessions } = await store.outlines({ limit }, (version) => known.get(key(version)));
        const news = sessions.filter((each) => typeof each !== 'string') as SessionOutline[];
        for (const each of news) known.set(key(each), each.session_id);
        const order = sessions.map((each) => (typeof each === 'string' ? each : each.session_id));
        return { order, news: news.map(({ session_id, name, status }) => ({ session_id, name, status })) };
      };
      const sorted = async (order: string[]) =>
        assert.deepEqual(
          order,
          (await store.list({ limit: 20 })).sessions.map(({ session_id }) => session_id),
        );
      const first = await look();
      assert.equal(first.news.length, 20);
      await sorted(first.order);
      assert.deepEqual((await look()).news, []);
      const [one = '', two = '', three = ''] = ids;
      const log = await other.open(one);
      await log.update({ name: 'renamed' });
      await log.close();
      assert.deepEqual((await look()).news, [{ session_id: one, name: 'renamed', status: 'created' }]);
      const active = await other.open(two);
      await active.transition('active');
      assert.deepEqual((await look()).news, [{ session_id: two, name: 'number 18', status: 'active' }]);
      await active.appendMessages([user('Hello')]);
      assert.deepEqual((await look()).news.length, 1);
      await active.close();
      await other.delete(three);
      const last = await look();
      assert.deepEqual(last.news, []);
      assert.equal(last.order.length, 19);
      await sorted(last.order);
    },
  ),

  conformanceCase('a listing shows at once what another process has done', async (harness) => {
    const [a, b] = [await harness.open('a'), await harness.open('b')];
    const log = await a.create({ agent_name: 'x' });
    assert.equal((await b.list()).sessions[0]?.session_id, log.session_id);
    await log.transition('active');
    assert.equal((await b.list()).sessions[0]?.status, 'active');
    await log.transition('completed');
    await log.close();
    await b.delete(log.session_id);
    assert.deepEqual((await a.list()).sessions, []);
  }),

  conformanceCase('an id may be shortened while it is unique', async (harness) => {
    const store = await harness.open();
    for (const session_id of ['alpha-1', 'alpha-2', 'beta'])
      await (await store.create({ session_id })).close();
    assert.equal(await store.resolve('be'), 'beta');
    assert.equal(await store.resolve('alpha-1'), 'alpha-1');
    await refuses('SESSION_AMBIGUOUS', () => store.resolve('alpha'));
    await refuses('SESSION_NOT_FOUND', () => store.resolve('gamma'));
  }),

  conformanceCase(
    'a fork goes on from any turn and shares nothing that can be taken away',
    async (harness) => {
      const store = await harness.open();
      const source = await store.create({ agent_name: 'a', config: { k: 1 } });
      for (let turn = 1; turn <= 3; turn++) await source.appendMessages([user(`q${turn}`), says(`a${turn}`)]);
      const fork = await store.fork(source.session_id, { turn: 2 });
      await fork.appendMessages([user('another way')]);
      await source.appendMessages([user('q4')]);
      const again = await store.fork(fork.session_id);
      await again.appendMessages([says('on')]);
      await refuses('TURN_NOT_FOUND', () => store.fork(source.session_id, { turn: 9 }));
      await refuses('TURN_NOT_FOUND', () => store.fork(source.session_id, { turn: 0 }));
      const { session_id } = source;
      await source.close();
      await fork.close();
      await store.delete(session_id);
      await store.emptyTrash(0);
      const other = await harness.open('other');
      const texts = async (id: string) => (await other.messages(id)).map(({ content }) => content);
      assert.deepEqual(await texts(fork.session_id), ['q1', 'a1', 'q2', 'a2', 'another way']);
      assert.deepEqual(await texts(again.session_id), ['q1', 'a1', 'q2', 'a2', 'another way', 'on']);
      assert.deepEqual(
        (await other.tail(again.session_id, 3)).map(({ seq, turn }) => [seq, turn]),
        [
          [4, 2],
          [5, 3],
          [6, 3],
        ],
      );
      const metadata = await other.metadata(fork.session_id);
      assert.deepEqual(metadata.forked_from, { session_id, turn: 2, seq: 4 });
      assert.deepEqual([metadata.config, metadata.agent_name], [{ k: 1 }, 'a']);
    },
  ),

  conformanceCase('a fork closes the calls it cuts off', async (harness) => {
    const store = await harness.open();
    const source = await store.create({}, { messages: [user('go')] });
    await source.appendMessages([
      { role: 'assistant', content: '', tool_calls: [{ id: 'c', tool: 'delegate', arguments: {} }] },
    ]);
    const fork = await store.fork(source.session_id);
    const [last] = await store.tail(fork.session_id, 1);
    assert.deepEqual([last?.role, last?.tool_call_id], ['tool', 'c']);
    assert.equal((await store.messages(source.session_id)).length, 2);
  }),

  conformanceCase('watching shows what any process appends, from the place asked for', async (harness) => {
    const store = await harness.open('a');
    const log = await store.create({}, { messages: [user('one'), user('two')] });
    const other = await harness.open('b');
    const watching = take(other.watch(log.session_id, { after_message: 1, after_event: 1 }), 4);
    await log.appendMessages([says('three')]);
    await log.appendEvents([{ name: 'x:y' }]);
    await log.appendMessages([user('four')]);
    const changes = await watching;
    const messages = changes.flatMap((change) => (change.kind === 'message' ? [change.message.content] : []));
    const events = changes.flatMap((change) => (change.kind === 'event' ? [change.event.name] : []));
    assert.deepEqual([messages, events], [['two', 'three', 'four'], ['x:y']]);
  }),

  conformanceCase('the feed has every event of every session once, across restarts', async (harness) => {
    const store = await harness.open('a');
    const start = await store.feedCursor();
    const logs = [await store.create(), await store.create(), await (await harness.open('b')).create()];
    for (let at = 0; at < 5; at++) {
      for (const log of logs) await log.appendEvents([{ name: 'tick', data: { at } }, { name: 'tock' }]);
    }
    const reader = await harness.open('c');
    const all = await take(reader.feed({ after: start }), 33);
    const ids = all.map(({ event }) => `${event.session_id} ${event.seq}`);
    assert.equal(new Set(ids).size, 33);
    for (const { session_id } of logs) {
      const seqs = all.filter(({ event }) => event.session_id === session_id).map(({ event }) => event.seq);
      assert.deepEqual(
        seqs,
        seqs.map((_, at) => at + 1),
      );
    }
    for (const at of [0, 7, 16, 31]) {
      const rest = await take((await harness.open(`d${at}`)).feed({ after: all[at]?.cursor ?? '' }), 32 - at);
      assert.deepEqual(
        rest.map(({ event }) => event.id),
        all.slice(at + 1).map(({ event }) => event.id),
      );
    }
    const live = take(reader.feed({ after: all.at(-1)?.cursor ?? '' }), 1);
    await logs[0]?.appendEvents([{ name: 'news' }]);
    assert.equal((await live)[0]?.event.name, 'news');
    await refuses('INVALID_CURSOR', () => take(reader.feed({ after: 'x' }), 1));
  }),

  conformanceCase('the feed of a session or a tree is the feed without the rest', async (harness) => {
    const store = await harness.open('a');
    const start = await store.feedCursor();
    const root = await store.create({ session_id: 'root' }, { messages: [user('go')] });
    const child = await store.create({ parent_id: 'root', agent_name: 'x' });
    const grandchild = await store.create({ parent_id: child.session_id, root_id: 'root', agent_name: 'y' });
    const other = await (await harness.open('b')).create({ session_id: 'other' }, { messages: [user('no')] });
    for (let at = 0; at < 3; at++)
      for (const log of [other, grandchild, root, child]) {
        await log.appendMessages([says(`${at}`)]);
        await log.appendEvents([{ name: 'tick', data: { at } }]);
      }
    const reader = await harness.open('c');
    const until = await reader.feedCursor();
    const all = await pageThrough(reader, { after: start, until, messages: true });
    assert.equal(all.length, 4 + 2 + 12 + 12);
    const sessionOf = (entry: FeedEntry) => ('event' in entry ? entry.event.session_id : entry.session_id);
    const tree = ['root', child.session_id, grandchild.session_id];
    for (const [of, members] of [
      [{ session_id: 'root' }, ['root']],
      [{ session_id: grandchild.session_id }, [grandchild.session_id]],
      [{ root_id: 'root' }, tree],
      [{ root_id: 'other' }, ['other']],
      [{ root_id: 'none' }, []],
    ] as const) {
      const wanted = all.filter((entry) => (members as readonly string[]).includes(sessionOf(entry)));
      const cursors = (entries: readonly FeedEntry[]) => entries.map(({ cursor }) => cursor);
      const query = { of, after: start, until };
      assert.deepEqual(
        cursors(await pageThrough(reader, { ...query, messages: true, limit: 2 })),
        cursors(wanted),
      );
      assert.equal(await reader.feedCursor(of), wanted.at(-1)?.cursor ?? '0');
      const events = wanted.filter((entry) => 'event' in entry);
      assert.deepEqual(cursors(await pageThrough(reader, query)), cursors(events));
      assert.deepEqual(
        cursors(await take(reader.feed({ of, after: start }), events.length)),
        cursors(events),
      );
      const middle = wanted[Math.floor(wanted.length / 2)];
      if (!middle) continue;
      const rest = { ...query, messages: true, after: middle.cursor };
      assert.deepEqual(
        cursors(await pageThrough(reader, rest)),
        cursors(wanted.slice(wanted.indexOf(middle) + 1)),
      );
    }
    await refuses('SESSION_NOT_FOUND', () =>
      reader.feedPage({ of: { session_id: 'none' }, after: start, until }),
    );
  }),

  conformanceCase('the feed has stored messages where they are wanted', async (harness) => {
    const store = await harness.open('a');
    const log = await store.create({ session_id: 's' }, { messages: [user('one')] });
    const start = await store.feedCursor();
    const following = take((await harness.open('b')).feed({ after: start, messages: true }), 3);
    await log.appendMessages([says('two'), user('three')]);
    await log.appendEvents([{ name: 'tick' }]);
    const entries = await following;
    const until = entries.at(-1)?.cursor ?? '';
    const messages = entries.flatMap((entry) => ('event' in entry ? [] : [entry]));
    assert.deepEqual(
      messages.map(({ session_id, parent_id, root_id, seq }) => [session_id, parent_id, root_id, seq]),
      [
        ['s', null, 's', 2],
        ['s', null, 's', 3],
      ],
    );
    assert.deepEqual(
      messages.map(({ message }) => message),
      await store.messages('s', { after: 1 }),
    );
    assert.deepEqual(
      (await store.feedPage({ after: start, until })).map((entry) => 'event' in entry && entry.event.name),
      ['tick'],
    );
    // The feed of a fork has only its own messages.
    const fork = await store.fork('s', { session: { session_id: 'f' } });
    await fork.appendMessages([says('four')]);
    const of = { session_id: 'f' };
    const ofFork = await pageThrough(store, {
      of,
      after: start,
      until: await store.feedCursor(),
      messages: true,
    });
    assert.deepEqual(
      ofFork.flatMap((entry) => ('event' in entry ? [] : [entry.message.content])),
      ['four'],
    );
    await log.close();
    await store.delete('s', { force: true });
    assert.deepEqual(await store.feedPage({ of: { root_id: 's' }, after: start, until, messages: true }), []);
  }),

  conformanceCase('the position of an event is found by its number', async (harness) => {
    const store = await harness.open('a');
    const log = await store.create({ session_id: 's' }, { messages: [user('one')] });
    await log.appendEvents([{ name: 'tick' }, { name: 'tock' }]);
    const after = (await store.eventCursor('s', 2)) ?? '';
    const [entry] = await store.feedPage({ of: { session_id: 's' }, after, until: await store.feedCursor() });
    assert.ok(entry && 'event' in entry && entry.event.name === 'tock');
    assert.equal(entry.cursor, await store.eventCursor('s', 3));
    assert.equal(await store.eventCursor('s', 4), null);
    await refuses('SESSION_NOT_FOUND', () => store.eventCursor('none', 1));
  }),

  conformanceCase('the feed goes on when another session gets the id of a deleted one', async (harness) => {
    const store = await harness.open('a');
    const start = await store.feedCursor();
    for (const name of ['a long name '.repeat(10), 'short']) {
      const log = await store.create({ session_id: 'again', name });
      // One by one, so that the feed hears of each on its own.
      for (let at = 0; at < 4; at++) {
        await log.appendEvents([{ name: 'tick', data: { name } }]);
        await take(store.feed({ after: start }), at + 1);
      }
      await log.close();
      if (name !== 'short') await store.delete('again');
    }
    const last = await store.create({ session_id: 'last' });
    const seen = new Set<string>();
    for await (const { event } of store.feed({ after: start })) {
      if (event.data.name === 'short') seen.add(event.id);
      if (event.session_id === 'last') break;
    }
    assert.ok(seen.size >= 4);
    await last.close();
  }),

  conformanceCase('what is deleted is out of sight, and can come back', async (harness) => {
    const store = await harness.open('a');
    const parent = await store.create({}, { messages: [user('keep me')] });
    const child = await store.create({ parent_id: parent.session_id, tool_call_id: 't', agent_name: 'x' });
    await refuses('SESSION_HAS_CHILDREN', () => store.delete(parent.session_id));
    await refuses('SESSION_LOCKED', () => store.delete(child.session_id));
    await child.transition('active');
    await child.close();
    await parent.close();
    await refuses('SESSION_ACTIVE', () => store.delete(child.session_id));
    const gone = await store.delete(parent.session_id, { children: 'cascade', force: true });
    assert.deepEqual(gone, [child.session_id, parent.session_id]);
    const other = await harness.open('b');
    assert.deepEqual((await other.list()).sessions, []);
    assert.equal(await other.has(parent.session_id), false);
    assert.equal(await other.childOfCall(parent.session_id, 't'), null);
    const inTrash = (await other.list({ deleted: true })).sessions.map(({ session_id }) => session_id);
    assert.deepEqual(inTrash.sort(), [...gone].sort());
    assert.deepEqual(await other.restore(parent.session_id), [parent.session_id, child.session_id]);
    assert.equal((await store.messages(parent.session_id)).length, 1);
    assert.equal((await store.list()).sessions.length, 2);
    assert.deepEqual((await store.list({ deleted: true })).sessions, []);
    await store.delete(child.session_id, { force: true });
    assert.deepEqual(await store.emptyTrash(1), []);
    assert.deepEqual(await store.emptyTrash(0), [child.session_id]);
    await refuses('SESSION_NOT_FOUND', () => store.restore(child.session_id));
  }),

  conformanceCase('of deleting and opening at one moment only one succeeds', async (harness) => {
    const [a, b] = [await harness.open('a'), await harness.open('b')];
    for (let round = 0; round < 10; round++) {
      const log = await a.create();
      await log.close();
      const codeOf = ({ code }: { code: string }) => code;
      const remove = () => a.delete(log.session_id).then(() => 'removed', codeOf);
      const open = () => b.open(log.session_id).catch(codeOf);
      const ends = await Promise.all(round % 2 === 0 ? [remove(), open()] : [open(), remove()]);
      const opened = ends.find((end) => typeof end !== 'string');
      assert.ok(ends.includes(opened ? 'SESSION_LOCKED' : 'SESSION_NOT_FOUND'), String(ends));
      assert.equal(await b.has(log.session_id), opened !== undefined);
      if (opened && typeof opened !== 'string') await opened.close();
    }
  }),

  conformanceCase('an exported session comes in as it was, or not at all', async (harness) => {
    const store = await harness.open();
    const log = await store.create(
      { name: 'n' },
      { documents: { launch: { v: 1 } }, messages: [user('ü\u2028')] },
    );
    await log.transition('active');
    await log.transition('completed');
    const fork = await store.fork(log.session_id, { session: { session_id: 'forked' } });
    await fork.appendMessages([says('more')]);
    const whole = await wholeOf(await store.export('forked'));
    assert.deepEqual(whole.events, await store.events('forked'));
    assert.deepEqual(whole.messages, await store.messages('forked'));
    assert.equal(await store.import(whole, { session_id: 'copy' }), 'copy');
    const contents = async (id: string) => (await store.messages(id)).map(({ id: _, ...rest }) => rest);
    assert.deepEqual(await contents('copy'), await contents('forked'));
    assert.equal((await store.metadata('copy')).forked_from?.session_id, log.session_id);
    assert.equal(await store.document('copy', 'launch'), null, 'what it was launched with stays behind');
    assert.equal((await store.metadata('copy')).working_dir, null);
    await refuses('SESSION_EXISTS', () => store.import(whole, { session_id: 'copy' }));
    const { events, messages } = whole;
    for (const broken of [{ events: events.slice(1) }, { messages: messages.slice(1) }, { events: [] }])
      await refuses('INVALID_EXPORT', () => store.import({ ...whole, ...broken }, { session_id: 'broken' }));
    assert.equal(await store.has('broken'), false);
  }),

  conformanceCase('a page has so many bytes, and at least one record', async (harness) => {
    const store = await harness.open();
    // Around what a store may keep in another way: the fourth is longer than a megabyte.
    const sizes = [1_000, 1_000, 30_000, 1_200_000, 1_000, 1_000];
    const log = await store.create({}, { messages: sizes.slice(0, 4).map((size) => user('x'.repeat(size))) });
    const fork = await store.fork(log.session_id, { session: { session_id: 'forked' } });
    await fork.appendMessages(sizes.slice(4).map((size) => says('x'.repeat(size))));
    await fork.appendEvents(sizes.map((size) => ({ name: 'test:size', data: { text: 'x'.repeat(size) } })));
    const seqs = (records: readonly { seq: number }[]) => records.map(({ seq }) => seq);
    const messages = async (range: Range) => seqs(await store.messages('forked', range));
    const last = async (count: number, range: Range) => seqs(await store.tail('forked', count, range));
    assert.deepEqual(await messages({ bytes: 1 }), [1]);
    assert.deepEqual(await messages({ bytes: 5_000 }), [1, 2]);
    assert.deepEqual(await messages({ bytes: 100_000 }), [1, 2, 3]);
    assert.deepEqual(await messages({ bytes: 100_000, limit: 1 }), [1]);
    assert.deepEqual(await messages({ after: 3, bytes: 100_000 }), [4]);
    assert.deepEqual(await messages({ after: 4, bytes: 100_000 }), [5, 6]);
    assert.deepEqual(await messages({ after: 2, bytes: 2_000_000 }), [3, 4, 5, 6]);
    assert.deepEqual(await messages({ after: 6, bytes: 1 }), []);
    assert.deepEqual(await last(10, { bytes: 1 }), [6]);
    assert.deepEqual(await last(10, { bytes: 100_000 }), [5, 6]);
    assert.deepEqual(await last(10, { before: 6, bytes: 100_000 }), [5]);
    assert.deepEqual(await last(10, { before: 5, bytes: 100_000 }), [4]);
    assert.deepEqual(await last(10, { before: 4, bytes: 100_000 }), [1, 2, 3]);
    assert.deepEqual(await last(2, { before: 4, bytes: 100_000 }), [2, 3]);
    assert.deepEqual(await last(10, { before: 1, bytes: 1 }), []);
    assert.deepEqual(await last(3, { before: 6 }), [3, 4, 5]);
    const { event_count } = await store.metadata('forked');
    const first = event_count - sizes.length;
    const events = async (range: Range) =>
      seqs(await store.events('forked', range)).map((seq) => seq - first);
    assert.deepEqual(await events({ after: first, bytes: 100_000 }), [1, 2, 3]);
    assert.deepEqual(await events({ after: first + 3, bytes: 100_000 }), [4]);
    assert.deepEqual(await events({ after: first + 4, bytes: 100_000 }), [5, 6]);
    const paged: number[] = [];
    for await (const page of messagePages(store, 'forked', { bytes: 10_000 })) paged.push(...seqs(page));
    assert.deepEqual(paged, await messages({}));
    await refuses('INVALID_QUERY', () => store.messages('forked', { bytes: 0 }));
  }),
];

async function wholeOf({ events, messages, mail, ...rest }: SessionExport): Promise<ExportedSession> {
  return { ...rest, events: await all(events), messages: await all(messages), mail: await all(mail) };
}

function pageThrough(store: SessionStore, query: FeedPage): Promise<FeedEntry[]> {
  return all(feedPages(store, query));
}

async function all<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const found: T[] = [];
  for await (const page of pages) found.push(...page);
  return found;
}
