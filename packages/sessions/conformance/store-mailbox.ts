import assert from 'node:assert/strict';
import { type ConformanceCase, conformanceCase, refuses, take } from './conformance-case.js';
import type { StoreHarness } from './store-harness.js';

/** Mail from one session to another. */
export const storeMailboxCases: readonly ConformanceCase<StoreHarness>[] = [
  conformanceCase('a mail item is delivered once, to whoever owns the session', async (harness) => {
    const [a, b] = [await harness.open('a'), await harness.open('b')];
    const log = await a.create();
    const { session_id: to } = log;
    for (const text of ['one', 'two', 'three']) await b.send({ to, kind: 'message', body: { text } });
    const [first, second] = await log.pendingMail();
    assert.ok(first && second);
    const effect = { message: { role: 'user' as const, content: String(first.body.text) } };
    assert.equal(await log.deliver(first, effect), true);
    assert.equal(await log.deliver(first, effect), false);
    assert.equal(await log.deliver(second, { event: { name: 'told', data: second.body } }), true);
    await harness.kill('a');
    const heir = await b.open(to);
    const waiting = await heir.pendingMail();
    assert.deepEqual(
      waiting.map(({ body }) => body.text),
      ['three'],
    );
    assert.equal(await heir.deliver(waiting[0] as (typeof waiting)[0]), true);
    assert.deepEqual(await heir.pendingMail(), []);
    assert.deepEqual(
      (await b.messages(to)).map(({ content }) => content),
      ['one'],
    );
    assert.equal((await b.mail(to)).length, 3);
  }),

  conformanceCase('an owner knows of mail that its own process sends without a read', async (harness) => {
    const store = await harness.open();
    const log = await store.create();
    const { session_id: to } = log;
    assert.equal(log.hasMailNews, false);
    await store.send({ to, kind: 'message', body: { text: 'one' } });
    assert.equal(log.hasMailNews, true);
    assert.equal((await log.pendingMail()).length, 1);
    assert.equal(log.hasMailNews, false);
    await log.close();
    const again = await store.open(to);
    assert.equal(again.hasMailNews, true, 'mail may have come while nobody owned the session');
    assert.equal((await again.pendingMail()).length, 1);
    assert.equal(again.hasMailNews, false);
  }),

  conformanceCase('the same item sent twice is one item', async (harness) => {
    const store = await harness.open();
    const parent = await store.create();
    const completion = {
      to: parent.session_id,
      kind: 'completion' as const,
      id: 'done:child:1',
      body: { ok: true },
    };
    await store.send(completion);
    const [item] = await parent.pendingMail();
    await parent.deliver(item as NonNullable<typeof item>);
    await store.send(completion);
    assert.deepEqual(await parent.pendingMail(), []);
  }),

  conformanceCase('waiting mail wakes up when another process sends', async (harness) => {
    const [a, b] = [await harness.open('a'), await harness.open('b')];
    const log = await a.create();
    await b.send({ to: log.session_id, kind: 'question', from: 'x', id: 'q1', body: { text: 'which?' } });
    const mail = take(log.mail(), 3);
    await b.send({ to: log.session_id, kind: 'answer', reply_to: 'q1', body: { text: 'this' } });
    await b.send({ to: log.session_id, kind: 'cancel', body: { level: 'graceful' } });
    const items = await mail;
    assert.deepEqual(
      items.map(({ kind, reply_to, from }) => [kind, reply_to, from]),
      [
        ['question', null, 'x'],
        ['answer', 'q1', null],
        ['cancel', null, null],
      ],
    );
    const stop = new AbortController();
    const quiet = take(log.mail(stop.signal), 99);
    stop.abort();
    assert.ok((await quiet).length <= 3);
  }),

  conformanceCase('there is no mail to nobody', async (harness) => {
    const store = await harness.open();
    await refuses('SESSION_NOT_FOUND', () => store.send({ to: 'nobody', kind: 'message', body: {} }));
    await refuses('SESSION_NOT_FOUND', () => store.mail('nobody'));
  }),

  conformanceCase('mail sent at once by many processes all arrive', async (harness) => {
    const store = await harness.open();
    const log = await store.create();
    const senders = await Promise.all([1, 2, 3].map((at) => harness.open(`sender-${at}`)));
    await Promise.all(
      senders.flatMap((sender, from) =>
        Array.from({ length: 30 }, (_, at) =>
          sender.send({ to: log.session_id, kind: 'message', body: { from, at, pad: 'x'.repeat(5_000) } }),
        ),
      ),
    );
    const items = await log.pendingMail();
    assert.equal(items.length, 90);
    assert.equal(new Set(items.map(({ body }) => `${body.from}/${body.at}`)).size, 90);
  }),
];
