import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openDatabase, openSessionStore, type SessionStore } from '@amplifier/sessions';
import { seededRandom } from '@amplifier/testkit';
import { expect } from 'vitest';

const WRITER = fileURLToPath(new URL('./kill-writer.mjs', import.meta.url));

export interface KillPlan {
  file: string;
  writers: number;
  sessions: number;
  kills: number;
  seed: number;
  /** Go on for so long, instead of so many kills. */
  forMs?: number;
  /** Also stop writers for a moment, sometimes for longer than this lease of theirs. */
  leaseMs?: number;
}

/** What a killed process had acknowledged: which message in which session, in order. */
interface Acknowledged {
  session_id: string;
  id: string;
}

/** Lets writers work and kills them at random moments until there were enough. Then everything must be there. */
export async function killWriters(plan: KillPlan): Promise<{ acknowledged: number; killed: number }> {
  const random = seededRandom(plan.seed);
  const acknowledged: Acknowledged[] = [];
  let started = 0;
  const until = Date.now() + (plan.forMs ?? 0);
  const isOver = () => (plan.forMs === undefined ? started >= plan.kills : Date.now() >= until);
  const lane = async () => {
    while (!isOver()) {
      const number = started++;
      const lines = 1 + Math.floor(random() * 60);
      const stop =
        plan.leaseMs === undefined
          ? null
          : { after: Math.floor(random() * lines), ms: random() * plan.leaseMs * 3 };
      await runUntilKilled(plan, number, lines, stop, acknowledged);
    }
  };
  const stop = new AbortController();
  const reading = readMeanwhile(plan, stop.signal);
  await Promise.all(Array.from({ length: plan.writers }, lane));
  stop.abort();
  await reading;
  await verify(plan, acknowledged);
  return { acknowledged: acknowledged.length, killed: started };
}

async function runUntilKilled(
  { file, sessions, seed, leaseMs }: KillPlan,
  number: number,
  lines: number,
  stop: { after: number; ms: number } | null,
  acknowledged: Acknowledged[],
): Promise<void> {
  const args = [WRITER, file, `w${number}`, String(sessions), String(seed * 1_000 + number)];
  if (leaseMs !== undefined) args.push(String(leaseMs));
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  let left = lines;
  if (child.stdout) {
    for await (const line of createInterface({ input: child.stdout })) {
      const [session_id = '', id = ''] = line.split(' ');
      acknowledged.push({ session_id, id });
      if (stop && lines - left === stop.after) {
        child.kill('SIGSTOP');
        setTimeout(() => child.kill('SIGCONT'), stop.ms);
      }
      if (--left === 0) child.kill('SIGKILL');
    }
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  if (child.signalCode !== 'SIGKILL') throw new Error(`A writer ended by itself: ${errors}`);
}

/** Reads while others write and die: what is shown must always be whole and in order. */
async function readMeanwhile({ file, sessions, seed }: KillPlan, signal: AbortSignal): Promise<void> {
  const random = seededRandom(seed + 1);
  await using store = await openSessionStore(file);
  while (!signal.aborted) {
    const session_id = `s-${Math.floor(random() * sessions)}`;
    if (await store.has(session_id)) {
      const messages = await store.messages(session_id);
      expect(messages.every(({ seq }, at) => seq === at + 1)).toBe(true);
      expect((await store.tail(session_id, 5)).length).toBeGreaterThanOrEqual(Math.min(5, messages.length));
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function verify({ file }: KillPlan, acknowledged: readonly Acknowledged[]): Promise<void> {
  const known = new Map<string, string[]>();
  for (const { session_id, id } of acknowledged)
    known.set(session_id, [...(known.get(session_id) ?? []), id]);
  await using store = await openSessionStore(file);
  const listed = [];
  for (let cursor: string | undefined; ; ) {
    const page = await store.list({ limit: 1_000, ...(cursor ? { cursor } : {}) });
    listed.push(...page.sessions.map(({ session_id }) => session_id));
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  expect(listed).toEqual(expect.arrayContaining([...known.keys()]));
  const events = new Set<string>();
  const lost: string[] = [];
  for (const session_id of listed) {
    await (await store.open(session_id)).close();
    const stored = (await store.messages(session_id)).map(
      ({ content }) => String(content).split(' ')[0] ?? '',
    );
    expect(new Set(stored).size, `${session_id} has a message twice`).toBe(stored.length);
    expectInOrder(session_id, stored, known.get(session_id) ?? [], lost);
    for (const event of await store.events(session_id)) events.add(event.id);
  }
  // The files beside it say whether the record was set aside or made anew on the way.
  expect(lost, `acknowledged and lost; there are ${readdirSync(dirname(file)).join(', ')}`).toEqual([]);
  await verifyFeed(store, events);
  await using database = await openDatabase(file);
  expect(await database.verify()).toEqual([]);
}

/** Every acknowledged message is there, else it is `lost`, and those of one writer are in the order it wrote them. */
function expectInOrder(
  session_id: string,
  stored: readonly string[],
  acknowledged: readonly string[],
  lost: string[],
): void {
  const places = new Map(stored.map((id, at) => [id, at]));
  const last = new Map<string, number>();
  for (const id of acknowledged) {
    const place = places.get(id);
    if (place === undefined) {
      lost.push(`${id} in ${session_id}`);
      continue;
    }
    const [writer = ''] = id.split('.');
    expect(place, `${id} in ${session_id} is out of order`).toBeGreaterThan(last.get(writer) ?? -1);
    last.set(writer, place);
  }
}

async function verifyFeed(store: SessionStore, events: ReadonlySet<string>): Promise<void> {
  const seen: string[] = [];
  const stop = new AbortController();
  for await (const { event } of store.feed({ after: '0', signal: stop.signal })) {
    seen.push(event.id);
    if (seen.length === events.size) break;
  }
  expect(new Set(seen)).toEqual(events);
}
