import { SqlRunQueue, SqlSessionStore } from '@amplifier/sessions';
import { PostgresDatabase } from '../../packages/postgres/src/postgres-database.js';
import { type BareClient, bareClient } from '../../packages/postgres/test-support/bare-client.js';
import type { TestPostgres } from '../../packages/postgres/test-support/start-postgres.js';
import { isSmoke, percentile } from './measure.js';

const SIZES = isSmoke ? [10] : [1_000, 10_000, 100_000];
const EVENTS = isSmoke ? 5 : 100;
const SAMPLES = isSmoke ? 2 : 100;
/** Before the first that counts. */
const UNCOUNTED = 5;

/** The same work among few and many sessions, each with a hundred events. `timeOfRun`: of a run over REST on that database, in ms. */
export async function measureGrowth(
  server: TestPostgres,
  timeOfRun: (address: string) => Promise<number>,
): Promise<void> {
  const address = await server.createDatabase();
  const client = await bareClient(address);
  await (await PostgresDatabase.open(address)).close();
  await client.query('CREATE EXTENSION pg_stat_statements');
  const names = ['create', 'append', 'list 50', '100 events', 'feed 100', 'run queue'];
  const columns = ['events', 'GB', 'fill s', ...names, 'REST run'];
  console.log(
    '\nAs the record grows: p50 in ms, and below it the pages of 8 KB that the server looked at for one',
  );
  console.log(`  sessions ${columns.map((each) => each.padStart(11)).join('')}`);
  for (const size of SIZES) {
    const started = performance.now();
    await fill(client, size);
    const seconds = (performance.now() - started) / 1_000;
    const { rows } = await client.query(
      'SELECT (SELECT count(*) FROM events) AS events, pg_database_size(current_database()) AS bytes',
    );
    const [{ events, bytes }] = rows as [{ events: string; bytes: string }];
    const measured = await timesOf(address, client);
    const times = [...measured.map(({ ms }) => ms), await timeOfRun(address)].map((ms) => ms.toFixed(2));
    const sizes = [events, (Number(bytes) / 2 ** 30).toFixed(2), seconds.toFixed(0)];
    const row = (cells: readonly string[]) => cells.map((each) => each.padStart(11)).join('');
    console.log(`  ${String(size).padEnd(9)}${row([...sizes, ...times])}`);
    console.log(`  ${''.padEnd(9)}${row(['', '', '', ...measured.map(({ pages }) => pages.toFixed(0))])}`);
  }
  await client.end();
}

/** What a session is created with, and one of its later facts; `@` stands for its id. */
const CREATED = JSON.stringify({
  seq: 1,
  id: 'evt_@',
  time: '2026-01-01T00:00:00.000Z',
  name: 'session:created',
  session_id: '@',
  parent_id: null,
  root_id: '@',
  data: {
    session_id: '@',
    parent_id: null,
    root_id: '@',
    trace_id: '0'.repeat(32),
    depth: 0,
    created: '2026-01-01T00:00:00.000Z',
    config: null,
  },
});
const CALLED = JSON.stringify({
  seq: 2,
  id: 'evt_@',
  time: '2026-01-01T00:00:00.000Z',
  name: 'llm:response',
  session_id: '@',
  parent_id: null,
  root_id: '@',
  data: { provider: 'p', model: 'm', usage: { input_tokens: 1000, output_tokens: 100, total_tokens: 1100 } },
});
const USAGE = JSON.stringify({ input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null });

/** Brings the record to so many sessions, within the database. */
async function fill(client: BareClient, size: number): Promise<void> {
  const last = await client.query('SELECT coalesce(max(n), 0) AS n, count(*) AS count FROM sessions');
  const [{ n, count }] = last.rows as [{ n: string; count: string }];
  await client.query(
    `INSERT INTO sessions (session_id, root_id, created, status, interrupted, updated, ended, message_count, turn_count, event_count,
        agent_invocations, mailbox_cursor, usage, epoch, is_copied)
      SELECT id, id, '2026-01-01T00:00:00.000Z', 'completed', 0, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 0, 0, $2, 0, 0, $3, 1, 1
      FROM (SELECT 'session_' || lpad(g::text, 26, '0') AS id FROM generate_series($1::bigint + 1, $4::bigint) g) made`,
    [Number(count), EVENTS, USAGE, size],
  );
  await client.query(
    `INSERT INTO events (session, root_id, seq, body) SELECT s.n, s.root_id, q, CASE q WHEN 1 THEN replace($2, '@', s.session_id)
        ELSE replace(replace($3, '@', s.session_id), '"seq":2', '"seq":' || q) END
      FROM (SELECT * FROM sessions WHERE n > $1 AND event_count = $4::bigint ORDER BY n) s
        CROSS JOIN LATERAL generate_series(1, s.event_count) q`,
    [n, CREATED, CALLED, EVENTS],
  );
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
}

async function timesOf(address: string, client: BareClient): Promise<{ ms: number; pages: number }[]> {
  await using database = await PostgresDatabase.open(address);
  const store = new SqlSessionStore(database);
  const queue = new SqlRunQueue(database);
  const log = await store.create();
  const page = await store.list({ limit: 50, created_before: '2026-06-01T00:00:00.000Z' });
  const some = page.sessions.at(-1)?.session_id ?? log.session_id;
  const work: (() => Promise<unknown>)[] = [
    async () => (await store.create()).close(),
    () => log.appendEvents([{ name: 'bench:fact', data: { some: 'thing' } }]),
    () => store.list({ limit: 50 }),
    () => store.events(some, { limit: 100 }),
    () => readFeed(store),
    () => passQueue(queue, log.session_id),
  ];
  const measured: { ms: number; pages: number }[] = [];
  for (const each of work) {
    const before = await pagesSeen(client);
    const ms = await timed(each);
    measured.push({ ms, pages: ((await pagesSeen(client)) - before) / (SAMPLES + UNCOUNTED) });
  }
  await log.close();
  await queue.close();
  await store.close();
  return measured;
}

async function pagesSeen(client: BareClient): Promise<number> {
  const { rows } = await client.query<{ pages: string }>(
    `SELECT coalesce(sum(shared_blks_hit + shared_blks_read), 0) AS pages
      FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid WHERE d.datname = current_database()`,
  );
  return Number(rows[0]?.pages);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let at = -UNCOUNTED; at < SAMPLES; at++) {
    const started = performance.now();
    await work();
    if (at >= 0) times.push(performance.now() - started);
  }
  return percentile(times, 0.5);
}

/** From the middle of all there is. */
async function readFeed(store: SqlSessionStore): Promise<void> {
  const after = String(Math.floor(Number(await store.feedCursor()) / 2));
  let left = Math.min(100, Number(after));
  for await (const _ of store.feed({ after })) if (--left <= 0) break;
}

async function passQueue(queue: SqlRunQueue, session_id: string): Promise<void> {
  await queue.enqueue({ session_id, kind: 'bench' });
  const claim = await queue.claim({ kinds: ['bench'] });
  if (claim) await queue.finish(claim);
}
