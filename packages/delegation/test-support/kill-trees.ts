import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import {
  openSessionStore,
  type SessionEvent,
  type SessionStore,
  type TranscriptLine,
} from '@amplifier/sessions';
import { seededRandom } from '@amplifier/testkit';
import { expect } from 'vitest';
import { resultOf, TASKS } from './tree-script.mjs';

const PROCESS = fileURLToPath(new URL('./tree-process.mjs', import.meta.url));
const TERMINAL = /^delegate:(agent_completed|agent_cancelled|error)$/;
/** A tree that nobody kills prints about so many lines. */
const LINES = 160;

/** Kills processes that run trees at random moments until there were enough kills. Every tree is brought to its end. */
export async function killTrees({ folder, kills, seed }: { folder: string; kills: number; seed: number }) {
  const random = seededRandom(seed);
  let killed = 0;
  let trees = 0;
  while (killed < kills) {
    const root_id = `session_tree-${seed}-${++trees}`;
    const place = `${folder}/${trees}`;
    for (let ended = false; !ended; ) {
      const last = killed >= kills || random() < 0.05;
      ended = await run(place, root_id, last ? Number.POSITIVE_INFINITY : 1 + Math.floor(random() * LINES));
      if (!ended) killed++;
    }
    await verifyTree(place, root_id);
  }
  return { killed, trees };
}

/** True when the process came to its end before it was killed. */
async function run(folder: string, root_id: string, lines: number): Promise<boolean> {
  const child = spawn(process.execPath, [PROCESS, folder, root_id], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  let left = lines;
  let done = false;
  for await (const line of createInterface({ input: child.stdout })) {
    done ||= line === 'DONE';
    if (--left === 0) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  if (child.signalCode !== 'SIGKILL' && !done)
    throw new Error(`The tree ${root_id} ended by itself: ${errors}`);
  return done;
}

async function verifyTree(folder: string, root_id: string): Promise<void> {
  await using store = await openSessionStore(`${folder}/record.db`);
  const { sessions } = await store.list({ root_id, limit: 1000 });
  const tasks = new Map<string, string>();
  for (const { session_id } of sessions) {
    const lines = await store.messages(session_id);
    const events = await store.events(session_id);
    verifyLog(session_id, lines, events);
    if (session_id === root_id) continue;
    const task = /TASK (\w+)/.exec(String(lines[0]?.content))?.[1] ?? '';
    expect(tasks.has(task), `${task} was launched twice in ${root_id}`).toBe(false);
    tasks.set(task, session_id);
  }
  expect([...tasks.keys()].sort()).toEqual([...TASKS].sort());
  for (const parent of [root_id, tasks.get('p1') ?? '', tasks.get('p2') ?? '']) {
    const children = TASKS.filter((task) => parentOf(task, tasks, root_id) === parent);
    await verifyHandBack(store, parent, children, tasks);
  }
  expect((await store.metadata(root_id)).status).toBe('completed');
}

const parentOf = (task: string, tasks: Map<string, string>, root_id: string) =>
  task.length === 3 && task.startsWith('p') ? tasks.get(task.slice(0, 2)) : root_id;

/** No log is corrupted, every tool call has one result, and the session reached its outcome once. */
function verifyLog(session_id: string, lines: TranscriptLine[], events: SessionEvent[]): void {
  expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, at) => at + 1));
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
  const calls = lines.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
  const results = lines.flatMap(({ tool_call_id }) => (tool_call_id === undefined ? [] : [tool_call_id]));
  expect(results.sort(), session_id).toEqual(calls.sort());
  const ends = events.filter(({ name, data }) => name === 'session:status' && data.status === 'completed');
  expect(ends, `${session_id} ended more than once`).toHaveLength(1);
  const after = events.slice(events.indexOf(ends[0] as SessionEvent) + 1).map(({ name }) => name);
  expect(
    after.filter((name) => name === 'llm:response'),
    `${session_id} ran after its end`,
  ).toEqual([]);
}

/** Each result is in the parent's transcript once, and each launch has one beginning and one end in its log. */
async function verifyHandBack(
  store: SessionStore,
  parent: string,
  children: string[],
  tasks: Map<string, string>,
): Promise<void> {
  const lines = (await store.messages(parent)).filter(({ role }) => role !== 'assistant');
  const events = await store.events(parent);
  for (const task of children) {
    const told = lines.filter(({ content }) => JSON.stringify(content).includes(resultOf(task)));
    expect(told, `${task} was handed back ${told.length} times`).toHaveLength(1);
    const about = events.filter(({ data }) => data.sub_session_id === tasks.get(task));
    expect(
      about.filter(({ name }) => name === 'delegate:agent_spawned'),
      `${task} spawned`,
    ).toHaveLength(1);
    expect(
      about.filter(({ name }) => TERMINAL.test(name)),
      `${task} ended`,
    ).toHaveLength(1);
  }
}
