import { type LiveItem, LiveText } from '@amplifier/core';
import { openRecord } from '@amplifier/sessions/record';
import { seededRandom } from '@amplifier/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunBench } from '../../test-support/run-bench.js';
import { call, delegate, script } from '../../test-support/run-profile.js';
import { createClient, LiveMessages, type StreamItem } from '../client/index.js';

let bench: RunBench;
beforeAll(async () => {
  bench = await RunBench.start();
});
afterAll(() => bench[Symbol.asyncDispose]());

/** Follows until `isEnough` says so, and returns all that came. */
async function follow(
  options: object,
  isEnough: (item: StreamItem, fold: LiveMessages) => boolean | Promise<boolean>,
): Promise<{ items: StreamItem[]; fold: LiveMessages }> {
  const client = createClient(bench.daemon.daemon);
  const fold = new LiveMessages();
  const items: StreamItem[] = [];
  const stop = new AbortController();
  for await (const item of client.followLive({ ...options, signal: stop.signal })) {
    items.push(item);
    fold.take(item);
    if (await isEnough(item, fold)) break;
  }
  stop.abort();
  return { items, fold };
}

const lines = async (session_id: string) =>
  (await bench.daemon.get(`/api/v1/sessions/${session_id}/transcript`)).body;

describe('text while it is written', () => {
  it('is open under the id it is stored under, for a session and its children, and whoever comes later gets all of it', async () => {
    const id = await bench.session();
    const child = delegate({
      agent: 'scout',
      instruction: script(['!say Once upon a time', '!hang midway']),
    });
    await bench.run(id, script(child, '!say Done.'));
    const early = await follow({ session_id: id, children: true }, (_item, fold) =>
      fold.all().some(({ text, session_id }) => session_id !== id && text === 'Once upon a time'),
    );
    const [open] = early.fold.all().filter(({ session_id }) => session_id !== id);
    if (!open) throw new Error('Nothing is being written.');
    expect(open.root_id).toBe(id);
    for (const wish of [{ session_id: open.session_id }, { root_id: id }, {}]) {
      const late = await follow(wish, (item) => item.kind === 'snapshot');
      expect(late.fold.get(open.session_id)).toEqual(open);
      expect(late.items.filter(({ kind }) => kind === 'delta')).toEqual([]);
    }
    const ended = await follow({ session_id: open.session_id }, async (item) => {
      if (item.kind === 'snapshot') await bench.daemon.post(`/api/v1/sessions/${id}/cancel`, {});
      return item.kind === 'message_end';
    });
    expect(ended.fold.get(open.session_id)).toBeNull();
  });

  it('gives way to the stored message, and says where that is', async () => {
    const id = await bench.session();
    const words = 'The quick brown fox jumps over the lazy dog. '.repeat(40).trim();
    let running: Promise<unknown> | undefined;
    // Where messages are stored is only sent to streams that have caught up.
    const onSignal = ({ name }: { name: string }) => {
      if (name === 'synced') running ??= bench.run(id, `!say ${words}`, { wait: 60 });
    };
    const { items } = await follow(
      { session_id: id, onSignal },
      (item) => item.kind === 'message' && item.seq >= 2,
    );
    await running;
    const stored = (await lines(id)).find(({ role }: { role: string }) => role === 'assistant');
    const seqs = items.flatMap((item) => (item.kind === 'message' ? [item.seq] : []));
    expect(seqs.at(-1)).toBe(stored.seq);
    const heard = items.filter((item) => item.kind === 'delta');
    for (const item of heard) expect(item.message_id).toBe(stored.id);
    expect(items.some((item) => item.kind === 'message_end' && item.message_id === stored.id)).toBe(
      heard.length > 0,
    );
  });

  it('comes with the stored messages when asked for, which end what is open', async () => {
    const id = await bench.session();
    const following = follow(
      { session_id: id, messages: true },
      (item) => item.kind === 'message' && item.message?.role === 'assistant',
    );
    await bench.run(id, '!say Hello.', { wait: 60 });
    const { items, fold } = await following;
    const messages = items.flatMap((item) => (item.kind === 'message' ? [item.message] : []));
    expect(messages).toEqual(await lines(id));
    expect(fold.get(id)).toBeNull();
  });

  it('comes from other processes that share the record as well, and ends with them', async () => {
    const store = await openRecord(bench.daemon.daemon.home.record);
    const log = await store.create({ name: 'elsewhere' });
    await log.transition('active');
    log.say('text', 'From ');
    const seen = follow({ session_id: log.session_id }, (item, fold) => {
      if (item.kind === 'snapshot') log.say('text', 'elsewhere');
      return fold.get(log.session_id)?.text === 'From elsewhere';
    });
    const { items } = await seen;
    expect(items.find(({ kind }) => kind === 'snapshot')).toMatchObject({ part: 'text', text: 'From ' });
    const kinds = new Set<string>();
    let id = '';
    await follow({ session_id: log.session_id }, async (item) => {
      if (item.kind === 'snapshot') {
        const [line] = await log.appendMessages([{ role: 'assistant', content: 'From elsewhere' }]);
        id = item.message_id;
        expect(line?.id).toBe(id);
      }
      if (item.kind === 'message') expect(item.seq).toBe(1);
      if (item.kind === 'message_end') expect(item.message_id).toBe(id);
      kinds.add(item.kind);
      return kinds.has('message') && kinds.has('message_end');
    });
    await log.close();
    await store.close();
  });

  it('is left out for those who do not ask for it', async () => {
    const id = await bench.session();
    await bench.run(id, script(call('read_file', { file_path: 'notes.md' }), '!say Read.'), { wait: 60 });
    const client = createClient(bench.daemon.daemon);
    for await (const event of client.followEvents({ session_id: id })) {
      if (!event.name.startsWith('run:')) expect(event.seq).toBeGreaterThan(0);
      if (event.name === 'run:ended') break;
    }
  });
});

it('a reader whose connection is cut anywhere neither doubles nor loses text', async () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = seededRandom(seed);
    let next = 0;
    const live = new LiveText(() => `msg_${++next}`);
    const fold = new LiveMessages();
    const place = { session_id: 's', root_id: 's' };
    let leave = () => {};
    const connect = () => {
      fold.take({ kind: 'disconnected' });
      const take = (item: LiveItem) => {
        const { kind, ...rest } = item;
        fold.take({ ...rest, kind: kind === 'end' ? 'message_end' : kind } as StreamItem);
        // A frame may come twice.
        if (random() < 0.2) fold.take({ ...rest, kind: kind === 'end' ? 'message_end' : kind } as StreamItem);
      };
      leave = live.subscribe(take);
      for (const item of live.snapshots()) take(item);
    };
    connect();
    let whole = '';
    for (let step = 0; step < 40; step++) {
      const dice = random();
      if (dice < 0.15) {
        leave();
        if (random() < 0.5) {
          live.write(place, 'text', 'lost?');
          whole += 'lost?';
        }
        connect();
      } else if (dice < 0.2) {
        live.end('s');
        expect(fold.get('s')).toBeNull();
        whole = '';
      } else {
        const piece = `${step} `;
        live.write(place, 'text', piece);
        whole += piece;
      }
      expect(whole.startsWith(fold.get('s')?.text ?? '')).toBe(true);
    }
    leave();
    connect();
    expect(fold.get('s')?.text ?? '').toBe(whole);
  }
});
