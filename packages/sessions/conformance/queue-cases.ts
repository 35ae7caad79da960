import assert from 'node:assert/strict';
import type { BacklogOptions, Claim, RunQuery, RunQueue } from '@amplifier/sessions';
import { type ConformanceCase, conformanceCase, refuses, take } from './conformance-case.js';

/** A queue that several processes share, and the time they live in. */
export interface QueueHarness extends AsyncDisposable {
  open(process?: string): Promise<RunQueue>;
  /** The process is gone, without having closed anything. */
  kill(process: string): Promise<void>;
  /** From now on the run is this tenant's. */
  assign(run_id: string, tenant: string): Promise<void>;
  /** Lets so much time pass. */
  advance(ms: number): Promise<void>;
  /** How long a claim lasts without a sign of life. */
  leaseMs: number;
}

async function mustClaim(queue: RunQueue): Promise<Claim> {
  const claim = await queue.claim();
  assert.ok(claim, 'there should have been a run to claim');
  return claim;
}

export const runQueueConformance: readonly ConformanceCase<QueueHarness>[] = [
  conformanceCase(
    'runs of a session start one by one, in order; other sessions do not wait',
    async (harness) => {
      const queue = await harness.open();
      assert.equal(await queue.claim(), null);
      for (const [session_id, run_id] of [
        ['s', 's1'],
        ['s', 's2'],
        ['t', 't1'],
      ] as const) {
        await queue.enqueue({ session_id, run_id, kind: 'turn', payload: { run_id } });
      }
      const first = await mustClaim(queue);
      const second = await mustClaim(await harness.open('other'));
      assert.deepEqual([first.run.run_id, second.run.run_id], ['s1', 't1']);
      assert.deepEqual(first.run.payload, { run_id: 's1' });
      assert.equal(await queue.claim(), null);
      await queue.finish(first, { text: 'done' });
      const next = await mustClaim(queue);
      assert.equal(next.run.run_id, 's2');
      assert.ok(next.token > first.token);
    },
  ),

  conformanceCase('tenants take turns, each by priority and in order', async (harness) => {
    const queue = await harness.open();
    for (const run_id of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'o1', 'o2']) {
      await queue.enqueue({ session_id: run_id, run_id, kind: 'turn', priority: run_id === 'a4' ? 5 : 0 });
      if (!run_id.startsWith('o')) await harness.assign(run_id, run_id.slice(0, 1));
    }
    const order: string[] = [];
    for (let claim = await queue.claim(); claim; claim = await queue.claim()) order.push(claim.run.run_id);
    assert.deepEqual(order, ['o1', 'a4', 'b1', 'o2', 'a1', 'b2', 'a2', 'a3']);
    await queue.enqueue({ session_id: 'b3', run_id: 'b3', kind: 'turn' });
    await harness.assign('b3', 'b');
    await queue.enqueue({ session_id: 'late', run_id: 'late', kind: 'turn' });
    await harness.assign('late', 'c');
    assert.equal((await mustClaim(queue)).run.run_id, 'late');
    assert.equal((await mustClaim(queue)).run.run_id, 'b3');
  }),

  conformanceCase('enqueuing is idempotent and survives everybody', async (harness) => {
    const queue = await harness.open('a');
    const run = await queue.enqueue({ session_id: 's', run_id: 'r', kind: 'turn', payload: { n: 1 } });
    const again = await queue.enqueue({ session_id: 's', run_id: 'r', kind: 'turn', payload: { n: 2 } });
    assert.deepEqual(again, run);
    await harness.kill('a');
    const other = await harness.open('b');
    assert.deepEqual(await other.get('r'), run);
    assert.equal(await other.get('nothing'), null);
    await refuses('INVALID_SESSION_ID', () => other.enqueue({ session_id: '../x', kind: 'turn' }));
  }),

  conformanceCase('the end of a run is seen by all, and comes once', async (harness) => {
    const queue = await harness.open('a');
    const other = await harness.open('b');
    await queue.enqueue({ session_id: 's', run_id: 'r', kind: 'turn' });
    const states = take(other.watch('r'), 99);
    const claim = await mustClaim(queue);
    await queue.finish(claim, { text: 'first' });
    assert.deepEqual((await queue.finish(claim, { text: 'second' })).result, { text: 'first' });
    const seen = await states;
    assert.deepEqual([seen.at(-1)?.status, seen.at(-1)?.result], ['finished', { text: 'first' }]);
    assert.equal((await other.list({ status: 'finished' })).length, 1);
    assert.equal(await other.claim(), null);
    await refuses('RUN_ENDED', () => queue.keepAlive(claim));
  }),

  conformanceCase(
    "a dead owner's run goes to the next, and what the dead one says later is void",
    async (harness) => {
      const doomed = await harness.open('doomed');
      await doomed.enqueue({ session_id: 's', run_id: 'r', kind: 'turn' });
      const lost = await mustClaim(doomed);
      const queue = await harness.open('heir');
      assert.equal(await queue.claim(), null);
      await harness.kill('doomed');
      const claim = await mustClaim(queue);
      assert.equal(claim.run.run_id, 'r');
      assert.equal(claim.run.attempts, 2);
      assert.ok(claim.token > lost.token);
      await refuses('FENCED', () => doomed.keepAlive(lost));
      await refuses('FENCED', () => doomed.finish(lost, { text: 'zombie' }));
      await refuses('FENCED', () => doomed.release(lost));
      assert.deepEqual((await queue.finish(claim, { text: 'heir' })).result, { text: 'heir' });
    },
  ),

  conformanceCase('a lease that is renewed holds, one that is not is lost', async (harness) => {
    const queue = await harness.open('a');
    const other = await harness.open('b');
    await queue.enqueue({ session_id: 's', kind: 'turn' });
    const claim = await mustClaim(queue);
    for (let beat = 0; beat < 3; beat++) {
      await harness.advance(harness.leaseMs - 1);
      assert.equal(await other.claim(), null);
      await queue.keepAlive(claim);
    }
    await harness.advance(harness.leaseMs + 1);
    const taken = await mustClaim(other);
    assert.ok(taken.token > claim.token);
    await refuses('FENCED', () => queue.keepAlive(claim));
    await refuses('FENCED', () => queue.finish(claim));
  }),

  conformanceCase('a run can be stopped before it starts, and asked to stop after', async (harness) => {
    const queue = await harness.open('a');
    const other = await harness.open('b');
    await queue.enqueue({ session_id: 's', run_id: 'r1', kind: 'turn' });
    await queue.enqueue({ session_id: 's', run_id: 'r2', kind: 'turn' });
    const claim = await mustClaim(queue);
    assert.equal((await other.cancel('r2', 'not needed')).status, 'cancelled');
    const asked = await other.cancel('r1', 'enough');
    assert.deepEqual([asked.status, asked.cancel_requested], ['running', 'enough']);
    assert.equal((await queue.keepAlive(claim)).cancel_requested, 'enough');
    await queue.finish(claim, { cancelled: true });
    assert.equal(await queue.claim(), null);
    await refuses('RUN_NOT_FOUND', () => other.cancel('nothing', 'x'));
    assert.deepEqual((await queue.get('r1'))?.result, { cancelled: true });
  }),

  conformanceCase(
    'one that is stopped before it starts has the ending it was stopped with',
    async (harness) => {
      const queue = await harness.open('a');
      const ending = { result: { by: 'a' }, event: { id: 'e', name: 'run:ended', data: {} } };
      await queue.enqueue({ session_id: 's', run_id: 'r1', kind: 'turn' });
      await queue.cancel('r1', 'not needed', ending);
      await queue.cancel('r1', 'again', { ...ending, result: { by: 'b' } });
      assert.deepEqual((await queue.get('r1'))?.result, { by: 'a' });
      await queue.enqueue({ session_id: 's', run_id: 'r2', kind: 'turn' });
      const claim = await mustClaim(queue);
      await queue.cancel('r2', 'enough', ending);
      await queue.finish(claim, { by: 'its owner' });
      assert.deepEqual((await queue.get('r2'))?.result, { by: 'its owner' });
    },
  ),

  conformanceCase('how often its work was begun is counted across claims', async (harness) => {
    const queue = await harness.open('a');
    await queue.enqueue({ session_id: 's', run_id: 'r1', kind: 'turn' });
    const first = await mustClaim(queue);
    assert.equal((await queue.begin(first)).starts, 1);
    await queue.release(first);
    const second = await mustClaim(queue);
    assert.deepEqual([second.run.attempts, second.run.starts], [1, 1]);
    await refuses('FENCED', () => queue.begin(first));
  }),

  conformanceCase('a run is stored and claimed at once, again after its end', async (harness) => {
    const queue = await harness.open('a');
    const other = await harness.open('b');
    const run = { session_id: 's', run_id: 'r', line: 'r', kind: 'job' };
    const first = await queue.enqueueClaimed({ ...run, payload: { n: 1 } });
    assert.deepEqual([first.run.status, first.run.attempts, first.run.token], ['running', 1, first.token]);
    assert.equal(await other.claim(), null);
    await refuses('RUN_EXISTS', () => other.enqueueClaimed(run));
    await refuses('SESSION_LOCKED', () => other.enqueueClaimed({ ...run, run_id: 'r2' }));
    await queue.finish(first, { text: 'cut off' });
    const second = await other.enqueueClaimed({ ...run, session_id: 't', payload: { n: 2 } });
    assert.ok(second.token > first.token);
    assert.deepEqual((await queue.get('r'))?.payload, { n: 2 });
    assert.equal((await queue.list()).length, 1);
    await refuses('FENCED', () => queue.finish(first, { text: 'late' }));
    await harness.kill('b');
    assert.equal((await mustClaim(queue)).run.attempts, 2);
  }),

  conformanceCase(
    'a run is claimed as it is stored for a consumer that waits, if it is the next',
    async (harness) => {
      const queue = await harness.open('a');
      const claims = queue.claims({ kinds: ['turn'] });
      const consumer = claims[Symbol.asyncIterator]();
      const waiting = consumer.next();
      // The consumer has looked and found nothing when another kind is stored.
      for (let n = 0; n < 3; n++) await queue.enqueue({ session_id: `other${n}`, kind: 'job' });
      const stored = await queue.enqueue({ session_id: 's', run_id: 'r1', kind: 'turn' });
      assert.deepEqual([stored.status, stored.attempts], ['queued', 0]);
      const { value: claim } = await waiting;
      assert.deepEqual([claim?.run.run_id, claim?.run.status, claim?.run.attempts], ['r1', 'running', 1]);
      // No consumer waits now: the runs stay in the queue.
      await queue.enqueue({ session_id: 's', run_id: 'r2', kind: 'turn' });
      await queue.enqueue({ session_id: 't', run_id: 'r3', kind: 'turn' });
      assert.deepEqual((await queue.get('r3'))?.status, 'queued');
      assert.equal((await consumer.next()).value?.run.run_id, 'r3');
      await queue.finish(claim as Claim, {});
      assert.equal((await consumer.next()).value?.run.run_id, 'r2');
    },
  ),

  conformanceCase('a run can move to another session', async (harness) => {
    const queue = await harness.open('a');
    const claim = await queue.enqueueClaimed({ session_id: 's', run_id: 'r', line: 'r', kind: 'job' });
    assert.equal((await queue.assign(claim, 't')).session_id, 't');
    await queue.finish(claim, {});
    assert.deepEqual(
      (await queue.list({ session_id: 't' })).map(({ run_id }) => run_id),
      ['r'],
    );
    await refuses('RUN_ENDED', () => queue.assign(claim, 's'));
  }),

  conformanceCase('a line has one head, also when runs were put back into it', async (harness) => {
    const queue = await harness.open('a');
    for (const run_id of ['m', 'x', 'h'])
      await queue.enqueue({ session_id: 's', run_id, line: run_id, kind: 'turn' });
    const [m, x, h] = [await mustClaim(queue), await mustClaim(queue), await mustClaim(queue)];
    for (const claim of [h, x, m]) await queue.release(claim, { line: 'shared' });
    assert.equal((await mustClaim(queue)).run.run_id, 'h');
    await queue.cancel('x', 'user');
    assert.equal(await queue.claim(), null);
    const last = { session_id: 's', run_id: 'last', line: 'shared', kind: 'turn' };
    for (const again of [false, true]) await queue.enqueue({ ...last, again });
    assert.equal(await queue.claim(), null);
  }),

  conformanceCase('a run given back is next again and has not been tried', async (harness) => {
    const queue = await harness.open('a');
    await queue.enqueue({ session_id: 's', run_id: 'r1', kind: 'turn' });
    await queue.enqueue({ session_id: 's', run_id: 'r2', kind: 'turn' });
    const claim = await mustClaim(queue);
    await queue.release(claim);
    await refuses('FENCED', () => queue.keepAlive(claim));
    const other = await harness.open('b');
    const again = await mustClaim(other);
    assert.deepEqual([again.run.run_id, again.run.attempts], ['r1', 1]);
    await other.close();
    assert.equal((await mustClaim(queue)).run.run_id, 'r1');
  }),

  conformanceCase(
    'a run is put back for later, with what is left to do, in another line',
    async (harness) => {
      const queue = await harness.open('a');
      for (const [run_id, line] of [
        ['r1', 'first'],
        ['r2', 'first'],
        ['r3', 'first'],
        ['x', 'later'],
      ] as const)
        await queue.enqueue({ session_id: 's', run_id, line, kind: 'turn', payload: { tries: 0 } });
      const claim = await mustClaim(queue);
      const x = await mustClaim(queue);
      assert.equal(x.run.run_id, 'x');
      assert.equal(await queue.claim(), null);
      const { enqueued } = claim.run;
      const not_before = new Date(Date.parse(enqueued) + 5_000).toISOString();
      await queue.release(claim, { not_before, line: 'later', payload: { tries: 1 } });
      const second = await mustClaim(queue);
      assert.equal(second.run.run_id, 'r2');
      await queue.release(second, { line: 'own' });
      const third = await mustClaim(queue);
      const moved = await mustClaim(queue);
      assert.deepEqual([third.run.run_id, moved.run.run_id], ['r2', 'r3']);
      await harness.advance(5_001);
      // The line that it was moved to is not free.
      for (const each of [third, moved]) await queue.finish(each);
      assert.equal(await queue.claim(), null);
      await queue.finish(x);
      const last = await mustClaim(await harness.open('b'));
      assert.deepEqual([last.run.run_id, last.run.attempts, last.run.payload], ['r1', 1, { tries: 1 }]);
      await refuses('FENCED', () => queue.release(claim, { line: 'first' }));
    },
  ),

  conformanceCase('a claimer waits for the time of the next run', async (harness) => {
    const queue = await harness.open();
    const working = take(queue.claims(), 1);
    const { enqueued } = await queue.enqueue({ session_id: 'probe', kind: 'probe' });
    await working;
    const waiting = take(queue.claims({ kinds: ['turn'] }), 1);
    const not_before = new Date(Date.parse(enqueued) + 60_000).toISOString();
    await queue.enqueue({ session_id: 's', run_id: 'later', kind: 'turn', not_before });
    let claimed: Claim[] | undefined;
    void waiting.then((claims) => {
      claimed = claims;
    });
    while (!claimed) await harness.advance(60_001);
    assert.equal(claimed[0]?.run.run_id, 'later');
  }),

  conformanceCase('a run that has ended can be enqueued again', async (harness) => {
    const queue = await harness.open();
    const run = { session_id: 's', run_id: 'r', kind: 'turn' };
    await queue.enqueue({ ...run, payload: { n: 1 } });
    const claim = await mustClaim(queue);
    await refuses('RUN_EXISTS', () => queue.enqueue({ ...run, again: true }));
    await queue.finish(claim, { text: 'once' });
    const again = await queue.enqueue({ ...run, payload: { n: 2 }, again: true });
    assert.deepEqual([again.status, again.payload, again.result], ['queued', { n: 2 }, null]);
    assert.equal((await queue.list()).length, 1);
    assert.equal((await mustClaim(queue)).run.attempts, 1);
  }),

  conformanceCase(
    'a queued run can be enqueued again, in another line or behind its own',
    async (harness) => {
      const queue = await harness.open('a');
      const run = { session_id: 's', run_id: 'r', line: 'first', kind: 'turn' };
      const turn = async (process: RunQueue) => (await process.claim({ kinds: ['turn'] }))?.run;
      await queue.enqueue({ ...run, payload: { n: 1 }, not_before: '2999-01-01T00:00:00.000Z' });
      await queue.enqueue({ session_id: 's', run_id: 'behind', line: 'first', kind: 'other' });
      const waiting = take(queue.claims({ kinds: ['other'] }), 1);
      // The consumer has looked and found nothing when the line is left.
      for (let n = 0; n < 5; n++) await queue.enqueue({ session_id: `job${n}`, kind: 'job' });
      await refuses('RUN_EXISTS', () => queue.enqueue({ ...run, session_id: 't', again: true }));
      const again = await queue.enqueue({ ...run, line: 'own', payload: { n: 2 }, again: true });
      assert.deepEqual([again.status, again.not_before, again.payload], ['queued', null, { n: 2 }]);
      const [behind] = await waiting;
      assert.equal(behind?.run.run_id, 'behind');
      const claimed = await turn(await harness.open('b'));
      assert.deepEqual([claimed?.run_id, claimed?.payload, claimed?.attempts], ['r', { n: 2 }, 1]);
      await queue.enqueue({ session_id: 's', run_id: 'last', line: 'first', kind: 'turn' });
      await queue.enqueue({ session_id: 's', run_id: 'last', line: 'first', kind: 'turn', again: true });
      assert.equal(await turn(queue), undefined);
      if (behind) await queue.finish(behind);
      assert.equal((await turn(queue))?.run_id, 'last');
      assert.deepEqual(
        (await queue.list({ session_id: 's' })).map(({ run_id }) => run_id),
        ['behind', 'r', 'last'],
      );
    },
  ),

  conformanceCase('the backlog is that of some kinds, or of all but some', async (harness) => {
    const queue = await harness.open();
    await queue.enqueue({ session_id: 's', kind: 'turn' });
    await queue.enqueue({ session_id: 't', kind: 'other' });
    await queue.enqueue({ session_id: 'u', kind: 'other' });
    const waiting = async (options: BacklogOptions) =>
      (await queue.backlog(options)).map((each) => each.waiting);
    assert.deepEqual(await waiting({}), [3]);
    assert.deepEqual(await waiting({ kinds: ['other'] }), [2]);
    assert.deepEqual(await waiting({ but: ['other'] }), [1]);
    assert.deepEqual(await waiting({ kinds: ['none'] }), []);
  }),

  conformanceCase('runs of a session in lines of their own do not wait for each other', async (harness) => {
    const queue = await harness.open();
    await queue.enqueue({ session_id: 's', run_id: 'own', kind: 'turn' });
    await queue.enqueue({ session_id: 's', run_id: 'beside', line: 'beside', kind: 'turn' });
    await queue.enqueue({ session_id: 's', run_id: 'next', kind: 'turn' });
    const claims = [await mustClaim(queue), await mustClaim(queue)];
    assert.deepEqual(
      claims.map(({ run }) => [run.run_id, run.line]),
      [
        ['own', 's'],
        ['beside', 'beside'],
      ],
    );
    assert.equal(await queue.claim(), null);
    const open = await queue.list({ session_id: 's', status: ['queued', 'running'] });
    assert.deepEqual(
      open.map(({ run_id }) => run_id),
      ['own', 'beside', 'next'],
    );
    await refuses('INVALID_SESSION_ID', () => queue.enqueue({ session_id: 's', line: '../x', kind: 'turn' }));
  }),

  conformanceCase('runs are listed from either end, and from a place on', async (harness) => {
    const queue = await harness.open();
    for (const run_id of ['r1', 'r2', 'r3', 'r4', 'r5'])
      await queue.enqueue({ session_id: run_id === 'r3' ? 't' : 's', run_id, kind: 'turn' });
    await queue.finish(await mustClaim(queue));
    const ids = async (query: RunQuery) => (await queue.list(query)).map(({ run_id }) => run_id);
    assert.deepEqual(await ids({ limit: 2 }), ['r1', 'r2']);
    assert.deepEqual(await ids({ order: 'newest', limit: 2 }), ['r5', 'r4']);
    assert.deepEqual(await ids({ order: 'newest', session_id: 's' }), ['r5', 'r4', 'r2', 'r1']);
    assert.deepEqual(await ids({ order: 'newest', before: 4, after: 1 }), ['r3', 'r2']);
    assert.deepEqual(await ids({ status: 'finished' }), ['r1']);
    assert.deepEqual(await ids({ status: [] }), []);
    assert.deepEqual(await ids({ order: 'newest', limit: 0 }), []);
  }),

  conformanceCase('a line that has been empty continues with higher tokens', async (harness) => {
    const queue = await harness.open('a');
    await queue.enqueue({ session_id: 's', kind: 'turn' });
    const first = await mustClaim(queue);
    await queue.finish(first);
    await queue.enqueue({ session_id: 's', kind: 'turn' });
    const second = await mustClaim(await harness.open('b'));
    assert.ok(second.token > first.token);
  }),

  conformanceCase('a run waits for its time, and for somebody who takes its kind', async (harness) => {
    const queue = await harness.open();
    const { enqueued } = await queue.enqueue({ session_id: 'probe', kind: 'probe' });
    const not_before = new Date(Date.parse(enqueued) + 5_000).toISOString();
    await queue.enqueue({ session_id: 's', run_id: 'later', kind: 'turn', not_before });
    assert.equal(await queue.claim({ kinds: ['turn'] }), null);
    await harness.advance(5_001);
    assert.equal((await queue.claim({ kinds: ['turn'] }))?.run.run_id, 'later');
    assert.equal((await queue.claim({ kinds: ['probe'] }))?.run.kind, 'probe');
  }),

  conformanceCase('who waits for work is woken by another process', async (harness) => {
    const queue = await harness.open('a');
    const working = take(queue.claims(), 2);
    const other = await harness.open('b');
    await other.enqueue({ session_id: 's', run_id: 'r1', kind: 'turn' });
    await other.enqueue({ session_id: 't', run_id: 'r2', kind: 'turn' });
    assert.deepEqual((await working).map(({ run }) => run.run_id).sort(), ['r1', 'r2']);
  }),

  conformanceCase('many claimers share the work without doing any of it twice', async (harness) => {
    const queues = await Promise.all(['a', 'b', 'c'].map((name) => harness.open(name)));
    const [first] = queues;
    await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        first?.enqueue({ session_id: `s${at % 20}`, run_id: `r${at}`, kind: 'turn' }),
      ),
    );
    const ran: string[] = [];
    const running = new Set<string>();
    const work = async (queue: RunQueue) => {
      for (let claim = await queue.claim(); claim; claim = await queue.claim()) {
        const { run_id, session_id } = claim.run;
        assert.ok(!running.has(session_id), `two runs of ${session_id} at once`);
        running.add(session_id);
        ran.push(run_id);
        await queue.keepAlive(claim);
        running.delete(session_id);
        await queue.finish(claim);
      }
    };
    while ((await first?.list({ status: ['queued', 'running'] }))?.length)
      await Promise.all(queues.map(work));
    assert.equal(new Set(ran).size, 60);
    assert.equal(ran.length, 60);
    for (let session = 0; session < 20; session++) {
      const order = ran.filter((id) => Number(id.slice(1)) % 20 === session);
      assert.deepEqual(order, [`r${session}`, `r${session + 20}`, `r${session + 40}`]);
    }
  }),

  conformanceCase(
    'what is more urgent goes first, and runs of one line keep their order',
    async (harness) => {
      const queue = await harness.open();
      await queue.enqueue({ session_id: 's', run_id: 'plain', kind: 'turn' });
      await queue.enqueue({ session_id: 't', run_id: 'late', kind: 'turn', priority: -1 });
      await queue.enqueue({ session_id: 's', run_id: 'behind', kind: 'turn', priority: 9 });
      await queue.enqueue({ session_id: 'u', run_id: 'urgent', kind: 'turn', priority: 5 });
      assert.deepEqual(await queue.backlog(), [
        { place: null, waiting: 4, running: 0, oldest: (await queue.get('plain'))?.enqueued },
      ]);
      const order: string[] = [];
      for (let claim = await queue.claim(); claim; claim = await queue.claim()) {
        order.push(claim.run.run_id);
        await queue.finish(claim);
      }
      assert.deepEqual(order, ['urgent', 'plain', 'behind', 'late']);
    },
  ),

  conformanceCase('of those that come only to an idle line, one is let in', async (harness) => {
    const queues = await Promise.all(['a', 'b'].map((name) => harness.open(name)));
    const wish = { session_id: 's', kind: 'turn', only_if_idle: true };
    const asked = await Promise.allSettled(queues.map((queue) => queue.enqueue(wish)));
    assert.deepEqual(asked.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const [queue] = queues;
    if (queue) await queue.finish(await mustClaim(queue));
    assert.equal((await queue?.enqueue(wish))?.status, 'queued');
  }),
];
