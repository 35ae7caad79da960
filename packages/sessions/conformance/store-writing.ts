import assert from 'node:assert/strict';
import type { JsonObject } from '@amplifier/core';
import type { ExportedSession, SessionExport, SessionStore } from '../src/index.js';
import { type ConformanceCase, conformanceCase, refuses, take } from './conformance-case.js';
import type { StoreHarness } from './store-harness.js';

const user = (content: string) => ({ role: 'user' as const, content });
const says = (content: string) => ({ role: 'assistant' as const, content });

/** A reference to the environment, as plans keep it. */
const REFERENCE = ['$', '{BASE_URL}'].join('');

/** Creating, owning and appending. */
export const storeWritingCases: readonly ConformanceCase<StoreHarness>[] = [
  conformanceCase('a new session has all its contents at once, for every process', async (harness) => {
    const store = await harness.open();
    const documents = { launch: { version: 1, instruction: 'go' }, bundle: '# bundle\n' };
    const log = await store.create({ name: 'first' }, { messages: [user('go')], documents });
    const other = await harness.open('other');
    const { session_id } = log;
    assert.deepEqual(
      (await other.messages(session_id)).map(({ seq, turn, content }) => [seq, turn, content]),
      [[1, 1, 'go']],
    );
    assert.deepEqual(await other.document(session_id, 'launch'), documents.launch);
    assert.equal(await other.document(session_id, 'bundle'), documents.bundle);
    assert.equal(await other.document(session_id, 'mount_plan'), null);
    assert.equal((await other.metadata(session_id)).status, 'created');
    assert.match(session_id, /^session_[0-9A-HJKMNP-TV-Z]{26}$/);
  }),

  conformanceCase('what survives the process is there for every process', async (harness) => {
    const store = await harness.open();
    const other = await harness.open('other');
    const { session_id } = await store.create({}, { messages: [user('go')] }, { durability: 'process' });
    assert.equal((await other.messages(session_id)).length, 1);
    const log = await store.create({}, {}, { durability: 'process' });
    await log.appendMessages([user('one')], { durability: 'process' });
    assert.equal((await other.messages(log.session_id)).length, 1);
    await log.appendEvents([{ name: 'noted' }], { trailing: true });
    await log.flush('process');
    await log.flush('disk');
    assert.equal((await other.events(log.session_id)).at(-1)?.name, 'noted');
    await log.close();
  }),

  conformanceCase(
    'a session that is created without waiting is stored with what follows',
    async (harness) => {
      const store = await harness.open();
      const other = await harness.open('other');
      const contents = { messages: [user('go')], documents: { launch: { version: 1 } } };
      const log = await store.create({ name: 'first' }, contents, { trailing: true });
      const { session_id } = log;
      const appended = log.appendMessages([says('done')], { trailing: true });
      await Promise.all([log.transition('active'), log.update({ extra: { a: 1 } }), appended]);
      assert.deepEqual(
        (await other.messages(session_id)).map(({ seq, turn, content }) => [seq, turn, content]),
        [
          [1, 1, 'go'],
          [2, 1, 'done'],
        ],
      );
      const { name, status, extra, event_count } = await other.metadata(session_id);
      assert.deepEqual([name, status, extra, event_count], ['first', 'active', { a: 1 }, 3]);
      assert.deepEqual(await other.document(session_id, 'launch'), { version: 1 });
      await refuses('SESSION_LOCKED', () => other.open(session_id));
      assert.deepEqual(await log.pendingMail(), []);
      await log.close();
      await (await other.open(session_id)).close();
      const brief = await store.create({}, { messages: [user('go')] }, { trailing: true });
      await brief.close();
      assert.equal(await other.owner(brief.session_id), null);
      assert.equal((await other.messages(brief.session_id)).length, 1);
    },
  ),

  conformanceCase('an id is taken once', async (harness) => {
    const store = await harness.open();
    await store.create({ session_id: 'one' }, { messages: [user('mine')] });
    await refuses('SESSION_EXISTS', () => store.create({ session_id: 'one' }));
    const other = await harness.open('other');
    await refuses('SESSION_EXISTS', () => other.create({ session_id: 'one' }));
    const made = await Promise.allSettled(
      [store, other, store].map((each) => each.create({ session_id: 'two' })),
    );
    assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal((await store.messages('one')).length, 1);
    assert.deepEqual((await store.list()).sessions.map(({ session_id }) => session_id).sort(), [
      'one',
      'two',
    ]);
  }),

  conformanceCase('what is no id never names anything', async (harness) => {
    const store = await harness.open();
    for (const id of [
      '',
      '.',
      '..',
      '../x',
      'a/b',
      'a\\b',
      '-a',
      '_a',
      'a b',
      'ä',
      'x'.repeat(129),
      'a\0b',
    ]) {
      await refuses('INVALID_SESSION_ID', () => store.create({ session_id: id }));
      await refuses('INVALID_SESSION_ID', () => store.create({ parent_id: id }));
      await refuses('INVALID_SESSION_ID', async () => store.open(id));
      await refuses('INVALID_SESSION_ID', async () => store.messages(id));
      await refuses('INVALID_SESSION_ID', async () => store.delete(id));
      await refuses('INVALID_SESSION_ID', async () => store.send({ to: id, kind: 'message', body: {} }));
    }
    await refuses('SESSION_NOT_FOUND', () => store.open('nobody'));
    await refuses('SESSION_NOT_FOUND', () => store.messages('nobody'));
    await refuses('SESSION_NOT_FOUND', () => store.metadata('nobody'));
    await refuses('SESSION_NOT_FOUND', () => store.fork('nobody'));
  }),

  conformanceCase('a child knows its place, and its metadata is enough to run it again', async (harness) => {
    const store = await harness.open();
    const root = await store.create();
    const config = {
      session: {},
      providers: [{ module: 'p', config: { api_key: 'sk-real', base: REFERENCE } }],
    };
    const child = await store.create({
      parent_id: root.session_id,
      agent_name: 'zen architect',
      tool_call_id: 'call-1',
      config,
      agent_overlay: { tools: [{ module: 't', config: { token: 'sk-real' } }] },
    });
    const metadata = await store.metadata(child.session_id);
    assert.match(child.session_id, /^[0-9a-f]{16}-[0-9a-f]{16}_zen-architect$/);
    assert.equal(metadata.parent_id, root.session_id);
    assert.equal(metadata.root_id, root.session_id);
    assert.equal(metadata.trace_id, root.metadata.trace_id);
    assert.equal(metadata.depth, 1);
    assert.equal(metadata.agent_name, 'zen architect');
    assert.deepEqual(metadata.agent_overlay, { tools: [{ module: 't', config: { token: '[REDACTED]' } }] });
    assert.ok(!JSON.stringify(metadata).includes('sk-real'), 'a secret was stored');
    assert.ok(JSON.stringify(metadata).includes(REFERENCE), 'a reference was lost');
    const grandchild = await store.create({ parent_id: child.session_id, agent_name: 'x' });
    assert.equal(grandchild.session_id.slice(0, 16), child.session_id.slice(17, 33));
    assert.equal(grandchild.metadata.root_id, root.session_id);
    assert.equal(grandchild.metadata.depth, 2);
  }),

  conformanceCase('a tool call has one session, which every process finds', async (harness) => {
    const store = await harness.open();
    const { session_id: parent_id } = await store.create();
    const make = () => store.create({ parent_id, agent_name: 'a', tool_call_id: 'call' });
    const made = await Promise.allSettled([make(), make(), make()]);
    assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 1);
    await refuses('SESSION_EXISTS', make);
    const other = await harness.open('other');
    const child = await other.childOfCall(parent_id, 'call');
    assert.deepEqual(
      (await other.children(parent_id)).map(({ session_id }) => session_id),
      [child],
    );
    assert.equal(await other.childOfCall(parent_id, 'another'), null);
  }),

  conformanceCase('appends keep the order of the calls and are numbered without a gap', async (harness) => {
    const store = await harness.open();
    const log = await store.create();
    await Promise.all(Array.from({ length: 200 }, (_, at) => log.appendMessages([user(`m${at}`)])));
    await Promise.all(Array.from({ length: 50 }, (_, at) => log.appendEvents([{ name: 'n', data: { at } }])));
    const messages = await store.messages(log.session_id);
    assert.deepEqual(
      messages.map(({ seq }) => seq),
      messages.map((_, at) => at + 1),
    );
    assert.deepEqual(
      messages.map(({ content }) => content),
      messages.map((_, at) => `m${at}`),
    );
    assert.equal(messages.length, 200);
    const events = (await store.events(log.session_id)).slice(1);
    assert.deepEqual(
      events.map(({ seq, data }) => [seq, data.at]),
      events.map((_, at) => [at + 2, at]),
    );
    assert.equal(events.length, 50);
  }),

  conformanceCase('what cannot be stored is refused and leaves no trace', async (harness) => {
    const store = await harness.open();
    const log = await store.create();
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    await refuses('INVALID_RECORD', () => log.appendEvents([{ name: 'bad', data: circular }]));
    await log.appendEvents([{ name: 'good' }]);
    assert.deepEqual(
      (await store.events(log.session_id)).map(({ seq }) => seq),
      [1, 2],
    );
  }),

  conformanceCase('what is stored is what JSON makes of it', async (harness) => {
    const store = await harness.open();
    class Point {
      x = 1;
      private readonly y = { z: [2, undefined] };
      get sum() {
        return this.x + this.y.z.length;
      }
    }
    const odd = {
      ...{ missing: undefined, call: () => 1, [Symbol('s')]: 1, nothing: null, minus: -0 },
      ...{ none: Number.NaN, endless: Number.NEGATIVE_INFINITY, wide: 1e300, text: '\ud800 \u2028 \0' },
      list: [undefined, Number.NaN, () => 1, Symbol('s'), new Array(1), Object.assign([1], { extra: 2 })],
      dates: [new Date(0), new Date(Number.NaN)],
      boxed: [Object(1), Object('s'), Object(false)],
      others: [new Point(), new Map([[1, 2]]), new Set([1]), /x/, new Error('e'), new Uint8Array([1, 2])],
      bare: Object.assign(Object.create(null), { a: { b: 1 } }),
      own: { toJSON: (key: string) => ({ key }) },
      named: JSON.parse('{"__proto__": {"a": 1}, "constructor": {"b": 2}, "2": 0, "1": 0}'),
      frozen: Object.freeze({ inner: Object.freeze([Object.freeze({ at: new Date(1) })]), open: { n: [1] } }),
    };
    const expected = JSON.parse(JSON.stringify(odd));
    const log = await store.create({ extra: odd, agent_overlay: odd }, { documents: { launch: odd } });
    await log.appendEvents([{ name: 'odd', data: odd }]);
    await log.appendMessages([{ ...user('odd'), metadata: odd }]);
    await log.update({ extra: { again: odd } });
    await store.send({ to: log.session_id, kind: 'message', body: odd });
    const { extra } = await store.metadata(log.session_id);
    assert.deepEqual(extra, { ...expected, again: expected });
    assert.deepEqual(await store.document(log.session_id, 'launch'), expected);
    assert.deepEqual((await store.events(log.session_id, { after: 1 }))[0]?.data, expected);
    assert.deepEqual((await store.messages(log.session_id))[0]?.metadata, expected);
    assert.deepEqual((await store.mail(log.session_id))[0]?.body, expected);
    const before = await wholeOf(store, log.session_id);
    const circular: JsonObject = {};
    circular.self = [circular];
    let deep: unknown = 1;
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    const throws = {
      get member() {
        throw new Error('It cannot be read.');
      },
    };
    for (const data of [circular, { deep }, { big: 1n }, { big: Object(1n) }, { throws }]) {
      await refuses('INVALID_RECORD', () => log.appendEvents([{ name: 'fine' }, { name: 'bad', data }]));
      await refuses('INVALID_RECORD', () => log.appendMessages([{ ...user('bad'), metadata: data }]));
      await refuses('INVALID_RECORD', () => log.putDocument('launch', data));
      await refuses('INVALID_RECORD', () => log.update({ extra: data }, { last: true }));
      await refuses('INVALID_RECORD', () =>
        store.create({ session_id: 'bad' }, { documents: { launch: data } }),
      );
      await refuses('INVALID_RECORD', () => store.send({ to: log.session_id, kind: 'message', body: data }));
    }
    assert.deepEqual(await wholeOf(store, log.session_id), before);
    assert.equal(await store.has('bad'), false);
    await log.appendEvents([{ name: 'good' }]);
  }),

  conformanceCase('nothing that a caller holds is the record', async (harness) => {
    const store = await harness.open();
    const nested = () => ({ list: [{ a: 1 }, [2]], member: { inner: { b: 'text' } } });
    const request = { session_id: 'one', config: nested(), agent_overlay: nested(), extra: nested() };
    const contents = {
      documents: { launch: { ...nested(), plan: nested(), grant: nested() }, mount_plan: nested() },
      messages: [{ ...user('go'), metadata: nested() }],
      events: [{ name: 'x', data: nested() }],
    };
    const log = await store.create(request, contents);
    const events = [{ name: 'y', data: nested() }];
    const messages = [{ role: 'assistant' as const, content: [{ type: 'text' as const, text: 'Hello' }] }];
    const launch = nested();
    const error = { code: 'E', message: 'It broke.', details: nested() };
    const last_outcome = { turn: 1, outcome: nested() };
    const patch = { extra: { more: nested() } };
    const body = nested();
    const given = [request, contents, events, messages, launch, error, last_outcome, patch, body];
    const answers: unknown[] = [await log.appendEvents(events), await log.appendMessages(messages)];
    await log.putDocument('launch', launch);
    answers.push(await log.transition('active'), await log.update(patch));
    answers.push(await log.transition('failed', { error, last_outcome }));
    await store.send({ to: 'one', kind: 'message', body });
    const stored = JSON.stringify(await wholeOf(store, 'one'));
    const exported = await store.export('one');
    const imported = await takeAll(exported);
    await store.import(imported, { session_id: 'two' });
    const copy = JSON.stringify(await wholeOf(store, 'two'));
    const fork = await store.fork('one', { session: { session_id: 'three' } });
    const forked = JSON.stringify(await wholeOf(store, 'three'));
    for (const value of [given, answers, imported, log.metadata, fork.metadata]) scramble(value);
    for (const session_id of ['one', 'two', 'three']) {
      scramble(await wholeOf(store, session_id));
      scramble([await log.pendingMail(), await store.tail(session_id, 9), await store.outlines()]);
      scramble([await store.children(session_id), await store.tree(session_id), await store.spend()]);
      const page = { after: '0', until: await store.feedCursor(), messages: true };
      scramble([await store.feedPage(page), await store.list(), await store.owner(session_id)]);
    }
    await log.appendMessages([user('more')]);
    await log.update({ extra: { late: 1 } });
    const after = await wholeOf(store, 'one');
    const before: typeof after = JSON.parse(stored);
    const { message_count, turn_count, event_count, updated } = after.metadata;
    const counts = { message_count, turn_count, event_count, updated };
    const extra = { ...before.metadata.extra, late: 1 };
    assert.deepEqual(JSON.parse(JSON.stringify(after.metadata)), { ...before.metadata, ...counts, extra });
    const unchanged = { messages: after.messages.slice(0, -1), events: after.events.slice(0, -1) };
    assert.deepEqual({ ...after, ...unchanged, metadata: before.metadata }, before);
    assert.equal(JSON.stringify(await wholeOf(store, 'two')), copy);
    assert.equal(JSON.stringify(await wholeOf(store, 'three')), forked);
  }),

  conformanceCase('a session has one live owner, and anyone may read', async (harness) => {
    const store = await harness.open('a');
    const other = await harness.open('b');
    const log = await store.create({}, { messages: [user('hi')] });
    await refuses('SESSION_LOCKED', () => other.open(log.session_id));
    await refuses('SESSION_LOCKED', () => store.open(log.session_id));
    await refuses('SESSION_LOCKED', () => other.open(log.session_id, { lease: 5 }));
    assert.equal((await other.messages(log.session_id)).length, 1);
    assert.notEqual(await other.owner(log.session_id), null);
    await log.close();
    await refuses('LOG_CLOSED', () => log.appendMessages([user('late')]));
    assert.equal(await other.owner(log.session_id), null);
    const taken = await other.open(log.session_id);
    await taken.appendMessages([says('hello')]);
    assert.deepEqual(
      (await store.messages(log.session_id)).map(({ seq }) => seq),
      [1, 2],
    );
  }),

  conformanceCase('a dead owner loses its session at once and nothing of it', async (harness) => {
    const doomed = await harness.open('doomed');
    const log = await doomed.create({}, { messages: [user('hi')] });
    await log.transition('active');
    await log.appendMessages([says('working')]);
    await harness.kill('doomed');
    const store = await harness.open('heir');
    assert.deepEqual(
      (await store.orphaned()).map(({ session_id }) => session_id),
      [log.session_id],
    );
    const claims = await Promise.allSettled([store.open(log.session_id), store.open(log.session_id)]);
    assert.equal(claims.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.deepEqual(
      (await store.messages(log.session_id)).map(({ content }) => content),
      ['hi', 'working'],
    );
    assert.deepEqual(await store.orphaned(), []);
  }),

  conformanceCase('sessions whose owners died are named once, and shown as they are', async (harness) => {
    const doomed = await harness.open('doomed');
    const cursor = await doomed.feedCursor();
    const left = await doomed.create({ session_id: 'left' });
    await (await doomed.create({ session_id: 'given-back' })).close();
    await left.transition('active');
    await left.appendEvents([{ name: 'last' }]);
    await left.transition('completed');
    await harness.kill('doomed');
    const store = await harness.open('heir');
    await using _owned = await store.create({ session_id: 'owned' });
    assert.deepEqual(await store.recover(), ['left']);
    assert.deepEqual(await store.recover(), []);
    const { sessions } = await store.list({ status: 'completed' });
    assert.deepEqual(
      sessions.map(({ session_id }) => session_id),
      ['left'],
    );
    const expected = (await store.events('left')).map(({ id }) => id);
    const told: string[] = [];
    for await (const { event } of store.feed({ after: cursor })) {
      if (event.session_id === 'left') told.push(event.id);
      if (told.length === expected.length) break;
    }
    assert.deepEqual(told, expected);
  }),

  conformanceCase('whoever takes a session over takes what its owner held below it', async (harness) => {
    const slow = await harness.open('slow');
    await (await slow.create({ session_id: 'top' })).close();
    const top = await slow.open('top', { lease: 1 });
    const child = await slow.create({ session_id: 'child', parent_id: 'top', root_id: 'top' });
    const below = await slow.create({ session_id: 'below', parent_id: 'child', root_id: 'top' });
    await (await slow.create({ session_id: 'apart', parent_id: 'top', root_id: 'top' })).close();
    const apart = await slow.open('apart', { lease: 1 });
    const elsewhere = await slow.create({ session_id: 'elsewhere' });
    const store = await harness.open('new');
    const log = await store.open('top', { lease: 2 });
    for (const late of [top, child, below])
      await refuses('FENCED', () => late.appendMessages([user('too late')]));
    // Under a lease of its own, or not below it: still its owner's.
    await apart.appendMessages([user('in time')]);
    await elsewhere.appendMessages([user('in time')]);
    const heir = await store.open('child');
    await heir.appendMessages([user('after')]);
    assert.deepEqual(
      (await store.messages('child')).map(({ content }) => content),
      ['after'],
    );
    for (const each of [log, heir, apart, elsewhere]) await each.close();
  }),

  conformanceCase('a revoked log writes nothing more and can be closed', async (harness) => {
    const store = await harness.open();
    const log = await store.create({ session_id: 'own' });
    await log.appendMessages([user('before')]);
    const pending = log.appendMessages([user('on the way')], { trailing: true });
    const error = new Error('revoked');
    log.revoke(error);
    const [onTheWay] = await Promise.allSettled([pending]);
    const isError = (thrown: unknown) => thrown === error;
    await store.send({ to: 'own', kind: 'message', body: {} });
    const [item] = await store.mail('own');
    assert.ok(item);
    for (const call of [
      () => log.appendMessages([user('after')]),
      () => log.appendEvents([{ name: 'after' }]),
      () => log.transition('active'),
      () => log.update({ name: 'after' }),
      () => log.putDocument('bundle', 'after'),
      () => log.pendingMail(),
      () => log.mail()[Symbol.asyncIterator]().next(),
      () => log.deliver(item),
      () => log.repairToolCalls(),
      () => log.flush(),
      async () => log.share(),
    ])
      await assert.rejects(call, isError);
    assert.equal(log.revoked, error);
    log.say('text', 'after');
    assert.deepEqual(store.live.snapshots(), []);
    await log.close();
    await assert.rejects(() => log.appendMessages([user('after')]), isError);
    const other = await harness.open('other');
    const next = await other.open('own');
    const kept = onTheWay.status === 'fulfilled' ? ['before', 'on the way'] : ['before'];
    assert.deepEqual(
      (await other.messages('own')).map(({ content }) => content),
      kept,
    );
    assert.deepEqual(
      (await other.events('own')).map(({ name }) => name),
      ['session:created'],
    );
    await next.appendMessages([user('next')]);
    await next.close();
  }),

  conformanceCase('the last append gives the session free', async (harness) => {
    const store = await harness.open();
    const log = await store.create({ session_id: 'own' });
    const ended = log.transition('active', {}, { last: true });
    await refuses('LOG_CLOSED', () => log.appendMessages([user('after')]));
    await log.close();
    await ended;
    assert.equal(await store.owner('own'), null);
    const other = await harness.open('other');
    const next = await other.open('own');
    assert.equal(next.metadata.status, 'active');
    await next.close();
  }),

  conformanceCase('logs that share a right are closed one by one and revoked together', async (harness) => {
    const store = await harness.open();
    const log = await store.create({ session_id: 'own' });
    let closed = 0;
    const turn = log.share(() => closed++);
    await turn.appendMessages([user('one')]);
    await log.appendMessages([user('two')]);
    assert.equal(turn.metadata.message_count, 2);
    await turn.update({ name: 'last' }, { last: true });
    await refuses('LOG_CLOSED', () => turn.appendMessages([user('after')]));
    await turn.close();
    assert.equal(closed, 1);
    const other = await harness.open('other');
    await refuses('SESSION_LOCKED', () => other.open('own'));
    await log.appendMessages([user('three')]);
    assert.equal(log.metadata.name, 'last');
    const again = log.share();
    await log.close();
    await refuses('SESSION_LOCKED', () => other.open('own'));
    const error = new Error('revoked');
    const third = again.share();
    again.revoke(error);
    await assert.rejects(
      () => third.appendMessages([user('after')]),
      (thrown) => thrown === error,
    );
    await again.close();
    await third.close();
    const next = await other.open('own');
    assert.deepEqual(
      (await other.messages('own')).map(({ content }) => content),
      ['one', 'two', 'three'],
    );
    await next.close();
  }),

  conformanceCase('a newer lease shuts an older owner out, however alive it is', async (harness) => {
    const slow = await harness.open('slow');
    const { session_id } = await slow.create().then(async (log) => {
      await log.close();
      return log;
    });
    const old = await slow.open(session_id, { lease: 1 });
    await old.appendMessages([user('before')]);
    const store = await harness.open('new');
    await refuses('SESSION_LOCKED', () => store.open(session_id));
    const log = await store.open(session_id, { lease: 2 });
    await refuses('FENCED', () => old.appendMessages([user('too late')]));
    await refuses('FENCED', () => old.appendEvents([{ name: 'too-late' }]));
    await log.appendMessages([user('after')]);
    await refuses('FENCED', () => old.appendMessages([user('still too late')]));
    await refuses('FENCED', () => slow.open(session_id, { lease: 1 }));
    const stale = { parent_epoch: old.epoch, messages: [user('too late')] };
    await refuses('FENCED', () => slow.create({ session_id: 'late', parent_id: session_id }, stale));
    await old.close();
    assert.deepEqual(
      (await store.messages(session_id)).map(({ content }) => content),
      ['before', 'after'],
    );
    await log.appendMessages([user('and on')]);
    assert.equal((await slow.messages(session_id)).length, 3);
    // Nor does anything stay of what it writes while it gives the session back.
    const newest = await slow.open(session_id, { lease: 3 });
    const late = log.appendMessages([user('late')]);
    const [refused] = await Promise.allSettled([late, log.close()]);
    assert.equal(refused.status, 'rejected');
    await newest.appendMessages([user('last')]);
    assert.equal((await slow.messages(session_id)).at(-1)?.content, 'last');
    assert.equal((await slow.metadata(session_id)).message_count, 4);
  }),

  conformanceCase('metadata is what the logs say', async (harness) => {
    const store = await harness.open();
    const log = await store.create({ name: 'draft', extra: { a: 1 } });
    await refuses('INVALID_TRANSITION', () => log.transition('completed'));
    await log.transition('active');
    const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7, cost_usd: '0.1' };
    await log.appendEvents([
      { name: 'llm:response', data: { provider: 'p', model: 'm-1', usage } },
      { name: 'llm:response', data: { provider: 'p', model: 'm-1', usage: { ...usage, cost_usd: '0.2' } } },
      { name: 'delegate:agent_spawned', data: {} },
    ]);
    await log.appendMessages([user('a'), says('b'), user('c')]);
    await log.update({ name: 'final', extra: { b: 2 } });
    await log.transition('failed', { error: { code: 'X', message: 'broke' } });
    const expected = log.metadata;
    for (const at of ['open', 'closed']) {
      if (at === 'closed') await log.close();
      const metadata = await (await harness.open(at)).metadata(log.session_id);
      assert.deepEqual(metadata, expected);
    }
    assert.equal(expected.status, 'failed');
    assert.deepEqual(expected.error, { code: 'X', message: 'broke' });
    assert.equal(expected.usage.total_tokens, 14);
    assert.equal(expected.usage.cost_usd, '0.3');
    assert.equal(expected.agent_invocations, 1);
    assert.deepEqual([expected.message_count, expected.turn_count], [3, 2]);
    assert.deepEqual([expected.name, expected.model, expected.extra], ['final', 'm-1', { a: 1, b: 2 }]);
    assert.ok(expected.started !== null && expected.ended !== null);
    const again = await store.open(log.session_id);
    await again.transition('active');
    assert.deepEqual([again.metadata.error, again.metadata.ended], [null, null]);
  }),

  conformanceCase('a document is replaced whole', async (harness) => {
    const store = await harness.open();
    const log = await store.create({}, { documents: { launch: { attempt: 1 } } });
    await log.putDocument('launch', { attempt: 2 });
    await log.putDocument('bundle', 'text');
    const other = await harness.open('other');
    assert.deepEqual(await other.document(log.session_id, 'launch'), { attempt: 2 });
    assert.equal(await other.document(log.session_id, 'bundle'), 'text');
  }),

  conformanceCase('calls without a result are closed, in either spelling', async (harness) => {
    const store = await harness.open();
    const log = await store.create({}, { messages: [user('go')] });
    await log.appendMessages([
      { role: 'assistant', content: '', tool_calls: [{ id: 'c1', tool: 'grep', arguments: {} }] },
      { role: 'tool', content: 'found', tool_call_id: 'c1' },
      { role: 'assistant', content: '', tool_calls: [{ id: 'c2', tool: 'delegate', arguments: {} }] },
    ]);
    const block = { type: 'tool_use', id: 'c3', name: 'bash', input: {} };
    await log.appendMessages([{ role: 'assistant', content: [block as never] }]);
    assert.deepEqual(await log.repairToolCalls('its process died'), ['c2', 'c3']);
    assert.deepEqual(await log.repairToolCalls(), []);
    const closing = await store.tail(log.session_id, 2);
    assert.deepEqual(
      closing.map(({ role, tool_call_id, name }) => [role, tool_call_id, name]),
      [
        ['tool', 'c2', 'delegate'],
        ['tool', 'c3', 'bash'],
      ],
    );
    assert.match(String(closing[0]?.content), /its process died/);
  }),
];

/** All that can be read of a session. */
async function wholeOf(store: SessionStore, session_id: string) {
  return {
    metadata: await store.metadata(session_id),
    messages: await store.messages(session_id),
    events: await store.events(session_id),
    launch: await store.document(session_id, 'launch'),
    mount_plan: await store.document(session_id, 'mount_plan'),
    mail: await store.mail(session_id),
  };
}

async function takeAll({ events, messages, mail, ...rest }: SessionExport): Promise<ExportedSession> {
  const all = async <T>(pages: AsyncIterable<readonly T[]>) => (await take(pages, 1))[0] ?? [];
  return { ...rest, events: await all(events), messages: await all(messages), mail: await all(mail) };
}

/** Changes everything in a value that can be changed. */
function scramble(value: unknown, seen = new Set<unknown>()): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  for (const key of Object.keys(value)) {
    scramble(Reflect.get(value, key), seen);
    Reflect.set(value, key, 'scrambled');
  }
  Reflect.set(value, 'added', true);
}
