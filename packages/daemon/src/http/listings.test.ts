import { openSessionStore } from '@amplifier/sessions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunBench } from '../../test-support/run-bench.js';
import { MAX_METADATA_BYTES, PAGE_BYTES } from '../defaults.js';

const LARGE = 'x'.repeat(400_000);
const SESSIONS = 8;

let bench: RunBench;
const ids: string[] = [];
beforeAll(async () => {
  bench = await RunBench.start();
  // Stored before metadata had a limit.
  await using store = await openSessionStore(bench.daemon.record);
  for (let at = 0; at < SESSIONS; at++) {
    const log = await store.create({ name: `large ${at}`, extra: { metadata: { text: LARGE } } });
    await log.close();
    ids.push(log.session_id);
  }
});
afterAll(() => bench[Symbol.asyncDispose]());

/** All pages of a listing. */
async function pages(path: string): Promise<Record<string, unknown>[][]> {
  const found: Record<string, unknown>[][] = [];
  for (let next: string | null = `${path}${path.includes('?') ? '&' : '?'}limit=1000`; next !== null; ) {
    const { status, body, headers } = await bench.daemon.get(next);
    expect(status).toBe(200);
    const cursor = headers.get('x-next-cursor');
    expect(headers.get('link') === null).toBe(cursor === null);
    found.push(body);
    next = cursor === null ? null : (/<(.+)>/.exec(headers.get('link') ?? '')?.[1] ?? null);
  }
  return found;
}

function expectBounded(found: readonly object[][]): void {
  expect(found.length).toBeGreaterThan(1);
  for (const page of found) {
    expect(page.length).toBeGreaterThan(0);
    expect(JSON.stringify(page).length).toBeLessThan(PAGE_BYTES + 100_000);
  }
}

describe('a page of a listing has about 1 MB, and names the next', () => {
  it.each(['read', 'cached'])('of sessions with large metadata, %s', async () => {
    const found = await pages('/api/v1/sessions');
    expectBounded(found);
    const listed = found.flat().map(({ session_id }) => session_id);
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed).toEqual(expect.arrayContaining(ids));
  });

  it('of mount plans', async () => {
    const found = await pages('/api/v1/mount-plans');
    expect(found.length).toBeGreaterThan(1);
    expect(found.flat().map(({ session_id }) => session_id)).toEqual(expect.arrayContaining(ids));
  });

  it('of runs with long instructions, of all sessions and of one', async () => {
    const session_id = await bench.session();
    const made: string[] = [];
    for (let at = 0; at < 6; at++) {
      const { status, body } = await bench.daemon.post(`/api/v1/sessions/${session_id}/runs`, {
        instruction: `${at} ${LARGE}`,
        busy: 'queue',
      });
      expect([200, 202]).toContain(status);
      made.unshift(body.run_id);
    }
    for (const path of ['/api/v1/runs', `/api/v1/sessions/${session_id}/runs`]) {
      const found = await pages(path);
      expectBounded(found);
      expect(found.flat().map(({ run_id }) => run_id)).toEqual(made);
    }
  });
});

describe('metadata of a session', () => {
  const metadata = { text: 'x'.repeat(MAX_METADATA_BYTES) };
  const refusal = expect.stringMatching(/^The metadata has \d+ bytes; a session has at most 65536\.$/);

  it('is refused beyond 64 KB when a session is created or changed', async () => {
    const created = await bench.daemon.post('/api/v1/sessions', { profile_id: 'local/worker', metadata });
    expect([created.status, created.body.detail]).toEqual([413, refusal]);
    const session_id = await bench.session();
    const path = `/api/v1/sessions/${session_id}`;
    const half = { a: 'x'.repeat(MAX_METADATA_BYTES / 2) };
    expect((await bench.daemon.call('PATCH', path, { metadata: half })).status).toBe(200);
    const changed = await bench.daemon.call('PATCH', path, { metadata: { b: half.a } });
    expect([changed.status, changed.body.detail]).toEqual([413, refusal]);
  });

  it('that is larger already can be read, and can only shrink', async () => {
    const path = `/api/v1/sessions/${ids[0]}`;
    expect((await bench.daemon.get(path)).body.metadata.text).toHaveLength(LARGE.length);
    const change = (metadata: object) => bench.daemon.call('PATCH', path, { metadata });
    expect((await change({ more: 1 })).status).toBe(413);
    expect((await change({ text: LARGE.slice(1_000) })).status).toBe(200);
  });
});
