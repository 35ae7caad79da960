import { expect } from 'vitest';
import type { DaemonProcess } from './daemon-process.js';
import { instructionOf, type Task } from './goal-model.js';
import type { WebhookReceiver } from './webhook-receiver.js';

export interface KnownRun {
  session_id: string;
  task: Task;
  kind: 'turn' | 'delegate';
  acknowledged: boolean;
  /** Somebody may have asked for it to stop. */
  cancelled: boolean;
  /** The run by which it went on after the daemon had died too often under it. */
  continued?: string;
}

/** Whoever answers requests: one daemon, or several that stand for one. */
export type Server = Pick<DaemonProcess, 'fetch'>;

/** What the client sent and what it was told. */
export interface Ledger {
  sessions: string[];
  runs: Map<string, KnownRun>;
  /** Approvals whose answer was acknowledged, and the session they were found under. */
  answers: Map<string, string>;
}

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the caller looks at
export async function get(daemon: Server, path: string): Promise<any> {
  return (await answer(daemon, path)).body;
}

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the caller looks at
async function answer(daemon: Server, path: string): Promise<{ body: any; headers: Headers }> {
  const { status, headers, text } = await daemon.fetch(path).then(async (response) => ({
    status: response.status,
    headers: response.headers,
    text: await response.text(),
  }));
  if (status >= 500) throw new Broken(`${path}: ${text}`);
  expect(status, `${path}: ${text}`).toBe(200);
  return { body: JSON.parse(text), headers };
}

/** The server could not do it, for a reason of its own. */
export class Broken extends Error {}

interface Event {
  id: string;
  name: string;
  data: { run_id?: string; id?: string };
}

export async function verify(daemon: Server, ledger: Ledger): Promise<void> {
  const firstWords: string[] = [];
  for (const session_id of ledger.sessions) {
    const events = await allEvents(daemon, session_id);
    verifyEvents(session_id, events);
    const said = instructionsOf(session_id, await transcriptOf(daemon, session_id));
    const children = await get(daemon, `/api/v1/sessions/${session_id}/children`);
    for (const child of children) {
      verifyEvents(child.session_id, await allEvents(daemon, child.session_id));
      firstWords.push(...instructionsOf(child.session_id, await transcriptOf(daemon, child.session_id)));
    }
    for (const [run_id, run] of ledger.runs) {
      if (run.session_id === session_id) await verifyRun(daemon, run_id, run, events, said);
    }
  }
  for (const [run_id, { task, kind, cancelled }] of ledger.runs) {
    const tasks = kind === 'delegate' ? [task] : (task.children ?? []);
    for (const each of tasks) {
      const times = firstWords.filter((text) => text === instructionOf(each)).length;
      expect(times, `${each.name} of ${run_id}`).toBeLessThanOrEqual(1);
      if (!cancelled) expect(times, `${each.name} of ${run_id}`).toBe(1);
    }
  }
  for (const [approval_id, session_id] of ledger.answers) {
    const approval = await get(daemon, `/api/v1/sessions/${session_id}/approvals/${approval_id}`);
    expect(approval).toMatchObject({ status: 'answered', answer: 'Allow once' });
  }
}

/** Everything about runs and questions was told, each under one id, and nothing else. */
export async function verifyTold(daemon: Server, ledger: Ledger, receiver: WebhookReceiver): Promise<number> {
  const wanted = new Set<string>();
  for (const session_id of ledger.sessions) {
    const children = await get(daemon, `/api/v1/sessions/${session_id}/children`);
    for (const each of [{ session_id }, ...children])
      for (const { id, name } of await allEvents(daemon, each.session_id))
        if (/^(run|question):/.test(name)) wanted.add(id);
  }
  const told = (): Map<string, string> =>
    new Map(receiver.received.map(({ id, body }) => [body.data.event_id, id]));
  await receiver.until(() => {
    const known = told();
    return [...wanted].every((id) => known.has(id));
  });
  expect(new Set(told().keys())).toEqual(wanted);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(wanted.size);
  expect(receiver.received.every(({ status }) => status === 204)).toBe(true);
  return wanted.size;
}

async function verifyRun(
  daemon: Server,
  run_id: string,
  { session_id, task, kind, cancelled, continued }: KnownRun,
  events: readonly Event[],
  said: readonly string[],
): Promise<void> {
  const own = events.filter(({ data }) => data.run_id === run_id).map(({ name }) => name);
  expect(
    own.filter((name) => name === 'run:queued'),
    run_id,
  ).toHaveLength(1);
  expect(
    own.filter((name) => name === 'run:ended'),
    run_id,
  ).toHaveLength(1);
  const run = await get(daemon, `/api/v1/sessions/${session_id}/runs/${continued ?? run_id}`);
  if (continued !== undefined) expect(run.status, continued).not.toBe('interrupted');
  if (cancelled)
    expect(['completed', 'cancelled', 'interrupted'], `${run_id}: ${JSON.stringify(run)}`).toContain(
      run.status,
    );
  else
    expect(run, `${run_id}: ${JSON.stringify(run.error)}`).toMatchObject({
      status: 'completed',
      outcome: { text: `DONE ${task.name}` },
    });
  if (kind === 'delegate') return;
  const times = said.filter((text) => text === instructionOf(task)).length;
  expect(times, `${run_id} was begun ${times} times`).toBeLessThanOrEqual(1);
  if (!cancelled) expect(times, run_id).toBe(1);
}

export async function allEvents(daemon: Server, session_id: string): Promise<Event[]> {
  const events: Event[] = [];
  for (let after = '0'; ; ) {
    const path = `/api/v1/sessions/${session_id}/events?limit=1000&after=${after}`;
    const { body, headers } = await answer(daemon, path);
    if (body.length === 0) return events;
    events.push(...body);
    const next = headers.get('x-next-cursor');
    expect(next, 'a page names the next').toMatch(/^p/);
    after = String(next);
  }
}

/** Each is there once, and no question was answered twice. */
function verifyEvents(session_id: string, events: readonly Event[]): void {
  const seen = new Set<string>();
  const twice = events.filter((event) => {
    const name = event.name === 'question:answered' ? `answer to ${event.data.id}` : event.id;
    return seen.has(name) || !seen.add(name);
  });
  expect(twice, `events of ${session_id} that are there twice`).toEqual([]);
}

interface Line {
  seq: number;
  role: string;
  content: unknown;
  tool_calls?: { id: string }[];
  tool_call_id?: string;
}

function transcriptOf(daemon: Server, session_id: string): Promise<Line[]> {
  return get(daemon, `/api/v1/sessions/${session_id}/transcript`);
}

/**
 * What a session was told to do. Throws where two have written it: a number that is missing or there twice, or a call with two results or
 * with one that comes when the conversation has gone on.
 */
function instructionsOf(session_id: string, lines: readonly Line[]): string[] {
  const open = new Set<string>();
  const said: string[] = [];
  for (const [at, { seq, role, content, tool_calls = [], tool_call_id = '' }] of lines.entries()) {
    const where = `message ${seq} of ${session_id}`;
    expect(seq, where).toBe((lines[0]?.seq ?? 0) + at);
    if (role === 'tool') expect(open.delete(tool_call_id), `${where}: a result of no open call`).toBe(true);
    else expect([...open], `${where}: calls before it without a result`).toEqual([]);
    for (const { id } of tool_calls) open.add(id);
    if (role === 'user' && typeof content === 'string') said.push(content);
  }
  return said;
}
