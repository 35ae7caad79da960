// The record beside what the database under it can do at best: bare commits of the same bytes.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openSessionStore, type SessionLog, type SessionStore } from '@amplifier/sessions';
import { BareDatabase } from './lib/bare-database.js';
import { isSmoke, measure, percentile, printTable } from './lib/measure.js';
import { seedSessions } from './lib/seed-sessions.js';

const BATCH = 64;
const SESSIONS = isSmoke ? 2_000 : 100_000;
const LONG_MESSAGES = isSmoke ? 2_000 : 100_000;
const text = 'x'.repeat(1_024 - 170);
const message = { role: 'assistant' as const, content: text };
const PAD = 'y'.repeat(110);
const line = () => JSON.stringify({ ...message, seq: 1, pad: PAD });

const root = await mkdtemp(join(tmpdir(), 'amplifier-bench-'));
const main = new URL('../packages/sessions/dist/index.js', import.meta.url).href;
try {
  await benchAppends();
  await benchLength();
  await benchIndex();
} finally {
  await rm(root, { recursive: true, force: true });
}

async function benchAppends(): Promise<void> {
  const store = await openSessionStore(join(root, 'appends.db'));
  const log = await filled(store, 10_000);
  const bare = new BareDatabase(join(root, 'bare.db'));
  const oneByOne = await measure(
    [
      { name: 'floor: a bare commit', run: () => bare.commit([line()]) },
      { name: 'append 1 KB to 10,000 messages', run: () => log.appendMessages([message]) },
    ],
    { batches: 400, perBatch: 4 },
  );
  printTable('one append at a time, each durable (target 1.2 × floor)', oneByOne);

  const batched = await measure(
    [
      { name: `floor: one commit of ${BATCH} rows`, run: () => bare.commit(serialized()) },
      {
        name: `${BATCH} appends at once`,
        run: () => Promise.all(Array.from({ length: BATCH }, () => log.appendMessages([message]))),
      },
      {
        name: `one append of ${BATCH} messages`,
        run: () => log.appendMessages(Array.from({ length: BATCH }, () => message)),
      },
    ],
    { batches: 200, perBatch: 2 },
  );
  printTable(`batches of ${BATCH} × 1 KB`, batched);
  const [floor, atOnce, asOne] = batched.map(({ p50 }) => (BATCH / p50) * 1e6);
  console.log(
    `  appends/s: floor ${rate(floor)}, at once ${rate(atOnce)} (${share(atOnce, floor)} of the floor), as one ${rate(asOne)} (${share(asOne, floor)}); target 0.7`,
  );
  await benchStream(log, bare);

  const logs = await Promise.all(Array.from({ length: BATCH }, () => store.create()));
  printTable(
    `${BATCH} sessions append 1 KB at the same time`,
    await measure(
      [
        { name: `floor: one commit of ${BATCH} rows`, run: () => bare.commit(serialized()) },
        {
          name: `${BATCH} sessions`,
          run: () => Promise.all(logs.map((each) => each.appendMessages([message]))),
        },
      ],
      { batches: 20, perBatch: 5 },
    ),
  );
  printTable(
    'create, launch record and instruction durable (target 1.3 × floor)',
    await measure(
      [
        { name: 'floor: a bare commit of two rows', run: () => bare.commit([line(), line()]) },
        { name: 'create', run: () => createOne(store) },
        { name: 'create and close', run: async () => (await createOne(store)).close() },
      ],
      { batches: 20, perBatch: 10 },
    ),
  );
  const started = performance.now();
  await Promise.all(Array.from({ length: 200 }, () => createOne(store)));
  console.log(`  200 at once: ${((performance.now() - started) / 200).toFixed(2)} ms each`);
  bare.close();
  await store.close();
}

/** Callers that go on appending: what one flush keeps waiting goes into the next. */
async function benchStream(log: SessionLog, bare: BareDatabase): Promise<void> {
  const rounds = isSmoke ? 5 : 100;
  const ratios: number[] = [];
  for (let take = 0; take < 5; take++) {
    let started = performance.now();
    for (let round = 0; round < rounds; round++) bare.commit(serialized());
    const floor = performance.now() - started;
    started = performance.now();
    const caller = async () => {
      for (let round = 0; round < rounds / 4; round++) await log.appendMessages([message]);
    };
    await Promise.all(Array.from({ length: BATCH * 4 }, caller));
    ratios.push(floor / (performance.now() - started));
  }
  console.log(
    `  ${BATCH * 4} callers that go on appending: ${percentile(ratios, 0.5).toFixed(2)} of the floor's throughput`,
  );
}

function serialized(): string[] {
  return Array.from({ length: BATCH }, line);
}

async function benchLength(): Promise<void> {
  const store = await openSessionStore(join(root, 'length.db'));
  const short = await filled(store, 1_000);
  const long = await filled(store, LONG_MESSAGES);
  await short.close();
  await long.close();
  const [a, b] = [short.session_id, long.session_id];
  const { turn_count } = await store.metadata(b);
  printTable(
    `a transcript of 1 MB beside one of ${Math.round(LONG_MESSAGES / 1_000)} MB`,
    await measure(
      [
        { name: 'last 50 messages, short', run: () => store.tail(a, 50) },
        { name: 'last 50 messages, long', run: () => store.tail(b, 50) },
        { name: 'metadata, short', run: () => store.metadata(a) },
        { name: 'metadata, long', run: () => store.metadata(b) },
        { name: 'fork in the middle, short', run: async () => (await store.fork(a, { turn: 50 })).close() },
        {
          name: 'fork in the middle, long',
          run: async () => (await store.fork(b, { turn: turn_count >> 1 })).close(),
        },
        { name: 'fork at the end, long', run: async () => (await store.fork(b)).close() },
        { name: 'open and close, short', run: async () => (await store.open(a)).close() },
        { name: 'open and close, long', run: async () => (await store.open(b)).close() },
      ],
      { batches: 15, perBatch: 5 },
    ),
  );
  await store.close();
}

async function benchIndex(): Promise<void> {
  const file = join(root, 'index.db');
  await seedSessions(file, manySessions());
  globalThis.gc?.();
  const before = process.memoryUsage();
  const store = await openSessionStore(file);
  await store.list();
  globalThis.gc?.();
  const after = process.memoryUsage();
  const bytes = (after.heapUsed + after.external - before.heapUsed - before.external) / SESSIONS;
  printTable(
    `list 100 of ${SESSIONS.toLocaleString('en')} sessions, warm (target 1,000 µs)`,
    await measure(
      [
        { name: 'newest', run: () => store.list({ limit: 100 }) },
        { name: 'roots only', run: () => store.list({ limit: 100, parent_id: null }) },
        {
          name: 'one agent, failed',
          run: () => store.list({ limit: 100, agent_name: 'agent-3', status: 'failed' }),
        },
        {
          name: 'status that none has (scans all)',
          run: () => store.list({ limit: 100, status: 'terminated' }),
        },
        { name: 'child of a tool call', run: () => store.childOfCall('s-0', 'call-1') },
      ],
      { batches: 30, perBatch: 5 },
    ),
  );
  console.log(`  memory per session: ${Math.round(bytes)} bytes`);
  await store.close();
  const times: number[] = [];
  const script = `const started = performance.timeOrigin; const { openSessionStore } = await import(${JSON.stringify(main)});
    const store = await openSessionStore(${JSON.stringify(file)});
    const page = await store.list({ limit: 100 }); if (page.sessions.length !== 100) throw new Error('wrong page');
    console.log(performance.timeOrigin + performance.now() - started); process.exit(0);`;
  for (let run = 0; run < (isSmoke ? 1 : 5); run++) {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    times.push(Number(stdout));
  }
  console.log(
    `  cold, from the start of a new process to the page: ${Math.round(percentile(times, 0.5))} ms (target under 1,000 ms)`,
  );
}

async function createOne(store: SessionStore): Promise<SessionLog> {
  return store.create(
    { agent_name: 'worker' },
    { documents: { launch: { version: 1, plan: text } }, messages: [{ role: 'user', content: text }] },
  );
}

async function filled(store: SessionStore, count: number): Promise<SessionLog> {
  const log = await store.create();
  const messages = Array.from({ length: 100 }, (_, at) =>
    at % 10 === 0 ? { role: 'user' as const, content: text } : message,
  );
  for (let done = 0; done < count; done += messages.length) await log.appendMessages(messages);
  return log;
}

function* manySessions() {
  const statuses = ['completed', 'failed', 'active'];
  for (let at = 0; at < SESSIONS; at++) {
    const child = { parent_id: `s-${at % 100}`, root_id: `s-${at % 100}`, tool_call_id: `call-${at}` };
    yield {
      session_id: `session_01K${String(at).padStart(23, '0')}`,
      created: new Date(Date.UTC(2026, 0, 1) + at * 1_000).toISOString(),
      status: statuses[at % 3] ?? '',
      agent_name: `agent-${at % 20}`,
      ...(at % 2 === 0 ? {} : child),
    };
  }
}

function rate(perSecond: number | undefined): string {
  return Math.round(perSecond ?? Number.NaN).toLocaleString('en');
}

function share(part: number | undefined, whole: number | undefined): string {
  return ((part ?? Number.NaN) / (whole ?? Number.NaN)).toFixed(2);
}
