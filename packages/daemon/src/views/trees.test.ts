import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunBench } from '../../test-support/run-bench.js';
import { call, delegate, script } from '../../test-support/run-profile.js';

let bench: RunBench;
beforeAll(async () => {
  bench = await RunBench.start();
});
afterAll(() => bench[Symbol.asyncDispose]());

const write = (file_path: string) => call('write_file', { file_path, content: 'x' });
const get = (path: string) => bench.daemon.get(path);
const post = (path: string, body: object = {}) => bench.daemon.post(path, body);

describe('a tree', () => {
  it('shows every node with what it used, who waits, and where to follow from', async () => {
    const id = await bench.session();
    await bench.run(id, script(delegate({ agent: 'scout', instruction: '!say Looked.' }), '!say Done.'), {
      wait: 60,
      limits: { max_cost_usd: '5', allow_unpriced: true },
    });
    const [looker] = (await get(`/api/v1/sessions/${id}/children`)).body;
    const task = { agent: 'scribe', instruction: script(write('deep.txt'), '!say Wrote.') };
    const { run_id } = (await post(`/api/v1/sessions/${looker.session_id}/delegate`, task)).body;
    const approval = await bench.approval(id);
    const { body: tree } = await get(`/api/v1/sessions/${id}/tree`);
    expect(tree).toMatchObject({ root_id: id, sessions: 3, truncated: false });
    expect(tree.root).toMatchObject({ depth: 0, status: 'completed', waiting: null, interrupted: false });
    const [scout] = tree.root.children;
    expect(scout).toMatchObject({ agent: 'scout', depth: 1, parent_id: id });
    const [scribe] = scout.children;
    expect(scribe).toMatchObject({ agent: 'scribe', depth: 2, waiting: 'approval', model: 'fake-1' });
    expect(scribe.title).toContain('!call write_file');
    expect(tree.total.tokens).toBeGreaterThan(0);
    expect(tree.total.unpriced_tokens).toBe(tree.total.tokens);
    expect(tree.total.cost_usd).toBeNull();

    await bench.answer(approval.session_id, approval.approval_id);
    await bench.ended(looker.session_id, run_id);
    const rest = (await get(`/api/v1/sessions/${id}/events?children=true&limit=1000&after=${tree.cursor}`))
      .body;
    expect(rest.filter((event: { name: string }) => event.name === 'session:created')).toEqual([]);
    const seqs = new Map<string, number>();
    for (const node of [tree.root, scout, scribe]) seqs.set(node.session_id, node.event_seq);
    for (const { session_id, seq } of rest.filter(
      (event: { name: string }) => !event.name.startsWith('run:'),
    )) {
      expect(seq).toBe((seqs.get(session_id) ?? 0) + 1);
      seqs.set(session_id, seq);
    }
    const feed = `/api/v1/events?root_id=${id}&limit=1000&after=${tree.feed_cursor}`;
    expect((await get(feed)).body.map((event: { id: string }) => event.id).sort()).toEqual(
      rest.map((event: { id: string }) => event.id).sort(),
    );
    const after = (await get(`/api/v1/sessions/${id}/tree`)).body.root;
    expect(after).toMatchObject({ status: 'completed', outcome_status: 'completed' });
    expect(after.children[0].children[0]).toMatchObject({ status: 'completed', waiting: null });
    const inner = (await get(`/api/v1/sessions/${scout.session_id}/tree`)).body;
    expect(inner).toMatchObject({
      root_id: id,
      sessions: 2,
      root: { session_id: scout.session_id, depth: 0 },
    });

    const { body: trees } = await get('/api/v1/trees?query=say%20looked&limit=10');
    expect(trees).toMatchObject([
      { session_id: id, sessions: 3, running: 0, waits: 0, status: 'completed', budget_usd: '5' },
    ]);
    expect((await get('/api/v1/trees?status=failed')).body).toEqual([]);
  });
});

describe('the transcript', () => {
  it('is read backwards from its end, page by page', async () => {
    const id = await bench.session({ auto_start: true });
    for (let n = 1; n <= 7; n++)
      await post(`/api/v1/sessions/${id}/messages`, { role: 'user', content: `${n}` });
    const seen: number[] = [];
    let before = '';
    for (let more = 'true'; more === 'true'; ) {
      const { body, headers } = await get(`/api/v1/sessions/${id}/transcript?limit=3${before}`);
      seen.unshift(...body.map(({ seq }: { seq: number }) => seq));
      before = `&before=${body[0].seq}`;
      more = headers.get('x-has-more') ?? '';
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const forwards = await get(`/api/v1/sessions/${id}/transcript?after=2&limit=2`);
    expect(forwards.body.map(({ seq }: { seq: number }) => seq)).toEqual([3, 4]);
    expect(forwards.headers.get('x-has-more')).toBe('true');
  });
});

describe('the inbox', () => {
  it('lists approvals and failures newest first, and an answer takes a message along', async () => {
    const failing = await bench.session();
    await bench.run(failing, '!fail 401 no such key', { wait: 60 });
    const id = await bench.session();
    const { run_id } = (await bench.run(id, script(write('no.txt'), '!say Understood.'))).body;
    const approval = await bench.approval(id);
    const { body: inbox } = await get('/api/v1/inbox');
    expect(inbox).toMatchObject([
      { kind: 'approval', session_id: id, root_id: id, approval_id: approval.approval_id, error: null },
      { kind: 'failed', session_id: failing, error: { code: expect.any(String) }, approval_id: null },
    ]);
    const [first, second] = [await get('/api/v1/inbox?limit=1'), await get('/api/v1/inbox?limit=1')];
    expect(first.body).toEqual(second.body);
    const cursor = encodeURIComponent(first.headers.get('x-next-cursor') ?? '');
    expect((await get(`/api/v1/inbox?limit=1&cursor=${cursor}`)).body).toMatchObject([
      { session_id: failing },
    ]);
    const answer = { approved: false, message: 'Use another name, please.' };
    expect((await bench.answer(id, approval.approval_id, answer)).body.status).toBe('answered');
    await bench.ended(id, run_id);
    const { body: lines } = await get(`/api/v1/sessions/${id}/transcript`);
    expect(JSON.stringify(lines)).toContain('Use another name, please.');
    const left = (await get('/api/v1/inbox')).body;
    expect(left.some(({ kind }: { kind: string }) => kind === 'approval')).toBe(false);
  });
});

describe('the wheel', () => {
  it('tells a session something while it works, and stops one session or all below it', async () => {
    const id = await bench.session();
    const child = delegate({ agent: 'scribe', instruction: script(write('wheel.txt'), '!say Wrote.') });
    const { run_id } = (await bench.run(id, script(child, '!say Done.'))).body;
    const approval = await bench.approval(id);
    const told = await post(`/api/v1/sessions/${approval.session_id}/steer`, { text: 'Hurry, please.' });
    expect([told.status, told.body.is_running]).toEqual([202, true]);
    await bench.answer(id, approval.approval_id);
    await bench.ended(id, run_id);
    const said = (await get(`/api/v1/sessions/${approval.session_id}/transcript`)).body;
    expect(JSON.stringify(said)).toContain('Hurry, please.');

    const again = (await bench.run(id, script(child, '!say Done.'))).body.run_id;
    const second = await bench.approval(id, [approval.approval_id]);
    const one = await post(`/api/v1/sessions/${second.session_id}/cancel`, { scope: 'session' });
    expect([one.status, one.body.session_ids]).toEqual([202, [second.session_id]]);
    expect((await bench.ended(id, again)).status).toBe('completed');
    const third = (await bench.run(id, script(child, '!say Done.'))).body.run_id;
    await bench.approval(id, [approval.approval_id, second.approval_id]);
    expect((await post(`/api/v1/sessions/${id}/cancel`, {})).status).toBe(202);
    expect((await bench.ended(id, third)).status).toBe('cancelled');
    const { root } = (await get(`/api/v1/sessions/${id}/tree`)).body;
    expect(root.children.map((node: { outcome_status: string }) => node.outcome_status)).toEqual([
      'completed',
      'cancelled',
      'cancelled',
    ]);
    expect((await post(`/api/v1/sessions/${await bench.session()}/cancel`)).body.session_ids).toEqual([]);
    // One below it that was created and never given anything to do is no damage.
    const parent = await bench.session();
    await bench.session({ parent_session_id: parent });
    await bench.run(parent, '!say Here.', { wait: 60 });
    expect((await post(`/api/v1/sessions/${parent}/cancel`, {})).status).toBe(202);
  });

  it('continues what was cut off, and nothing else', async () => {
    const id = await bench.session();
    await bench.run(id, script(write('cut.txt'), '!say Done.'));
    const { approval_id } = await bench.approval(id);
    await bench.restart();
    const isListed = async () =>
      (await get('/api/v1/inbox')).body.some(
        (item: { kind: string; session_id: string }) => item.kind === 'interrupted' && item.session_id === id,
      );
    while (!(await isListed()));
    const { body: run } = await post(`/api/v1/sessions/${id}/continue`);
    await bench.answer(id, approval_id);
    expect((await bench.ended(id, run.run_id)).status).toBe('completed');
    expect((await post(`/api/v1/sessions/${id}/continue`)).body.code).toBe('RUN_NOT_INTERRUPTED');
  });
});
