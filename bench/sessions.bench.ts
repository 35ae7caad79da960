// The record beside what the disk can do at best: bare appends, bare flushes, bare reads.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FileSessionStore, type SessionLog } from '@amplifier/sessions';
import { isSmoke, measure, percentile, printTable } from './lib/measure.js';

const BATCH = 64;
const SESSIONS = isSmoke ? 2_000 : 100_000;
const LONG_MESSAGES = isSmoke ? 2_000 : 100_000;
const text = 'x'.repeat(1_024 - 170);
const message = { role: 'assistant' as const, content: text };
const PAD = 'y'.repeat(110);
const line = Buffer.from(`${JSON.stringify({ ...message, seq: 1, pad: PAD })}\n`);

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
  const store = await FileSessionStore.open({ folder: join(root, 'appends') });
  const log = await filled(store, 10_000);
  const bare = await open(join(root, 'bare.jsonl'), 'a');
  const oneByOne = await measure(
    [
      { name: 'floor: write + fdatasync', run: () => bareAppend(bare, line) },
      { name: 'append 1 KB to 10,000 messages', run: () => log.appendMessages([message]) },
    ],
    { batches: 400, perBatch: 4 },
  );
  printTable('one append at a time, each on disk (target 1.2 × floor)', oneByOne);

  const batched = await measure(
    [
      { name: `floor: ${BATCH} × JSON, one write, one fdatasync`, run: () => bareAppend(bare, serialized()) },
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
  const handles = await Promise.all(
    Array.from({ length: BATCH }, (_, at) => open(join(root, `bare-${at}`), 'a')),
  );
  printTable(
    `${BATCH} sessions append 1 KB at the same time`,
    await measure(
      [
        {
          name: `floor: ${BATCH} files, write + fdatasync`,
          run: () => Promise.all(handles.map((handle) => bareAppend(handle, line))),
        },
        {
          name: `${BATCH} sessions`,
          run: () => Promise.all(logs.map((each) => each.appendMessages([message]))),
        },
      ],
      { batches: 20, perBatch: 5 },
    ),
  );
  printTable(
    'create, launch record and instruction on disk',
    await measure(
      [
        { name: 'floor: write + fdatasync', run: () => bareAppend(bare, line) },
        { name: 'create and close', run: async () => (await createOne(store)).close() },
      ],
      { batches: 20, perBatch: 10 },
    ),
  );
  const started = performance.now();
  await Promise.all(Array.from({ length: 200 }, () => createOne(store)));
  console.log(`  200 at once: ${((performance.now() - started) / 200).toFixed(2)} ms each`);
  for (const handle of [bare, ...handles]) await handle.close();
  await store.close();
}

/** Callers that go on appending: what one flush keeps waiting goes into the next. */
async function benchStream(log: SessionLog, bare: FileHandle): Promise<void> {
  const rounds = isSmoke ? 5 : 100;
  const ratios: number[] = [];
  for (let take = 0; take < 5; take++) {
    let started = performance.now();
    for (let round = 0; round < rounds; round++) await bareAppend(bare, serialized());
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

function serialized(): Buffer {
  let block = '';
  for (let at = 0; at < BATCH; at++) block += `${JSON.stringify({ ...message, seq: at, pad: PAD })}\n`;
  return Buffer.from(block);
}

async function bareAppend(handle: FileHandle, bytes: Buffer): Promise<void> {
  await handle.write(bytes);
  await handle.datasync();
}

async function benchLength(): Promise<void> {
  const store = await FileSessionStore.open({ folder: join(root, 'length') });
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
  const folder = join(root, 'index');
  writeIndex(folder);
  globalThis.gc?.();
  const before = process.memoryUsage();
  const store = await FileSessionStore.open({ folder });
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
  console.log(`  memory per indexed session: ${Math.round(bytes)} bytes`);
  await store.close();
  const times: number[] = [];
  const script = `const started = performance.timeOrigin; const { FileSessionStore } = await import(${JSON.stringify(main)});
    const store = await FileSessionStore.open({ folder: ${JSON.stringify(folder)} });
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

async function createOne(store: FileSessionStore): Promise<SessionLog> {
  return store.create(
    { agent_name: 'worker' },
    { documents: { launch: { version: 1, plan: text } }, messages: [{ role: 'user', content: text }] },
  );
}

async function filled(store: FileSessionStore, count: number): Promise<SessionLog> {
  const log = await store.create();
  const messages = Array.from({ length: 100 }, (_, at) =>
    at % 10 === 0 ? { role: 'user' as const, content: text } : message,
  );
  for (let done = 0; done < count; done += messages.length) await log.appendMessages(messages);
  return log;
}

/** Folders and an index that agree, without the minutes it takes to create so many sessions one by one. */
function writeIndex(folder: string): void {
  const rows: string[] = [];
  const statuses = ['completed', 'failed', 'active'];
  for (let at = 0; at < SESSIONS; at++) {
    const id = `session_01K${String(at).padStart(23, '0')}`;
    mkdirSync(join(folder, id), { recursive: true });
    const created = new Date(Date.UTC(2026, 0, 1) + at * 1_000).toISOString();
    const ended = new Date(Date.UTC(2026, 0, 1) + at * 1_000 + 500).toISOString();
    const child =
      at % 2 === 0
        ? {}
        : { parent_id: `s-${at % 100}`, root_id: `s-${at % 100}`, tool_call_id: `call-${at}` };
    const status = statuses[at % 3];
    const counts = { message_count: 12, turn_count: 3, rev: 9 };
    const entry = {
      ...child,
      agent_name: `agent-${at % 20}`,
      status,
      created,
      updated: ended,
      ended,
      ...counts,
    };
    rows.push(`"${id}":${JSON.stringify(entry)}`);
  }
  const text = `{"version":1,"generation":1,"sessions":{\n${rows.join(',\n')}\n}}\n`;
  writeFileSync(join(folder, 'index.json'), text);
}

function rate(perSecond: number | undefined): string {
  return Math.round(perSecond ?? Number.NaN).toLocaleString('en');
}

function share(part: number | undefined, whole: number | undefined): string {
  return ((part ?? Number.NaN) / (whole ?? Number.NaN)).toFixed(2);
}
