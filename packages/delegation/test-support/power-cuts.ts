import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { systemLiveness, type Tool, textOf, toolSuccess } from '@amplifier/core';
import { feedPages, openDatabase, type SessionStore } from '@amplifier/sessions';
import { verifyRecord } from '@amplifier/sessions/record';
import { TempWorkspace } from '@amplifier/testkit';
import { expect } from 'vitest';
import { loadSqlite } from '../../sessions/src/database/load-sqlite.js';
import { PowerCut } from '../../sessions/test-support/power-cut.js';
import { delegating, delegationBench, type Scene } from './delegation-bench.js';

/** What someone outside of the record saw. */
interface Effect {
  /** The id of the tool call that acted; null for the answer that the caller got. */
  call: string | null;
  /** The line that the call wrote to the notes. */
  line: string;
  /** Bytes of the WAL that were on disk. A power cut after the effect leaves at least these. */
  synced: number;
}

/** A delegation on the product's loop and context, with the WAL that it wrote and all its effects, in order. */
export interface Recorded {
  root_id: string;
  calls: number;
  effects: Effect[];
  /** The record before it, without a WAL. */
  database: Buffer;
  wal: Buffer;
  /** The WAL before that, which SQLite would have overwritten. */
  earlier: Buffer;
  /** Positions in the WAL where a frame begins or ends. */
  frames: number[];
  /** Positions in the WAL where a transaction is complete. */
  commits: number[];
  /** All messages and events, in the order of their commits. */
  feed: string[];
  /** For each effect, how much of the feed led to it. */
  needed: number[];
}

const FRAME_HEADER = 24;
const WAL_HEADER = 32;

/** What each child writes: groups of notes, those of a group at once. */
const TASKS = ['one,two three', 'four'];
const NOTES = ['five', 'four', 'one', 'three', 'two'];
const ANSWER = 'Everything is written.';

/** The root delegates to two children at once, which write notes, then writes one itself and answers. */
async function recordDelegation(folder: string): Promise<Recorded> {
  const file = `${folder}/record.db`;
  const earlier = await makeRecord(file);
  const database = readFileSync(file);
  const effects: Effect[] = [];
  const see = (effect: Pick<Effect, 'call' | 'line'>) => effects.push({ ...effect, synced: cut.synced });
  await using bench = await notesBench(folder, see);
  using cut = new PowerCut(file);
  const { outcome, session_id } = await bench.root('Go.');
  see({ call: null, line: '' });
  const wal = readFileSync(`${file}-wal`);
  expect(outcome).toMatchObject({ status: 'completed', text: ANSWER });
  expect(readFileSync(file), 'The WAL was folded during the delegation.').toEqual(database);
  const entries = await feedOf(bench.store);
  const needed = effects.map(({ call }) => {
    const parts = call
      ? ['"role":"assistant"', `"id":"${call}"`]
      : ['"session:status"', '"completed"', `"session_id":"${session_id}"`];
    const at = entries.findIndex((entry) => parts.every((part) => entry.includes(part)));
    expect(at, `${call ?? 'The outcome'} is not in the feed.`).toBeGreaterThan(-1);
    return at + 1;
  });
  const calls = bench.model.requests.length;
  return {
    ...{ root_id: session_id, calls, effects, database, wal, earlier, feed: entries, needed },
    ...framesOf(wal),
  };
}

/** The schema is in the database, so that the next WAL has the delegation only. Resolves to the WAL so far. */
async function makeRecord(file: string): Promise<Buffer> {
  await using database = await openDatabase(file);
  const wal = readFileSync(`${file}-wal`);
  expect(wal.length).toBeGreaterThan(WAL_HEADER);
  await database.compact();
  return wal;
}

/** Cuts the WAL at a position, checks what is left, and continues the delegation until it ends. */
export async function continueAfterCut(recorded: Recorded, folder: string, at: number): Promise<void> {
  const { root_id, effects, needed, feed, calls } = recorded;
  const file = leaveCut(recorded, folder, at);
  const acted = effects.filter(({ synced, call }) => call !== null && synced <= at);
  writeFileSync(notesIn(folder), acted.map(({ line }) => `${line}\n`).join(''));
  expect(await verifyRecord(file)).toMatchObject({ problems: [] });
  await using bench = await notesBench(folder);
  const { store, delegator } = bench;
  const left = await feedOf(store);
  expect(left).toEqual(feed.slice(0, left.length));
  checkEffects(recorded, at, left.length);
  const isThere = await store.has(root_id);
  const { outcome } = isThere
    ? await delegator.continue(root_id)
    : await bench.root('Go.', { session_id: root_id });
  expect(outcome).toMatchObject({ status: 'completed', text: ANSWER });
  expect((await store.metadata(root_id)).last_outcome).toMatchObject({ outcome: { status: 'completed' } });
  // Only what the record lacks is asked for again, and what to do about a call that was recorded and did not act.
  const answered = left.filter((entry) => entry.startsWith('[') && entry.includes('"role":"assistant"'));
  const idle = effects.filter(({ synced }, n) => synced > at && (needed[n] ?? 0) <= left.length);
  expect(bench.model.requests.length).toBeLessThanOrEqual(calls - answered.length + idle.length);
  await checkOnce(store, folder);
  await bench.store.close();
  expect(await verifyRecord(file)).toMatchObject({ problems: [] });
  expect(readdirSync(folder).filter((name) => name.includes('damaged'))).toEqual([]);
  rmSync(folder, { recursive: true });
}

/** What a cut leaves of the WAL after a position: nothing, all but the next sector, or what was overwritten. */
type Rest = 'nothing' | 'all but a sector' | 'earlier';

/**
 * Cuts the WAL at each position and checks that a whole number of transactions is left, with all that led to what was seen before.
 * Resolves to the number of different states that were left.
 */
export async function checkCuts(
  recorded: Recorded,
  folder: string,
  places: Iterable<number>,
  rest: Rest = 'nothing',
): Promise<number> {
  const { DatabaseSync } = await loadSqlite();
  const { commits, wal, earlier } = recorded;
  const file = leaveCut(recorded, folder, wal.length);
  /** What there was after each commit, as first found. */
  const known = new Map<number, string>();
  // Each cut shortens the one before: a connection that only reads changes neither file.
  for (const at of [...places].sort((one, other) => other - one)) {
    if (rest === 'nothing') truncateSync(`${file}-wal`, at);
    else {
      const kept = rest === 'earlier' ? earlier.subarray(at) : withoutSector(wal.subarray(at));
      writeFileSync(`${file}-wal`, Buffer.concat([wal.subarray(0, at), kept]));
    }
    const left = new DatabaseSync(file, { readOnly: true });
    let state = '';
    left.function('tell', (found: string) => {
      state = found;
      return null;
    });
    // Unlike a prepared statement this is finalized at once, so that closing releases the files.
    left.exec(TELL);
    left.close();
    const commit = commits.findLast((end) => end <= at) ?? 0;
    if (!known.has(commit)) known.set(commit, state);
    if (known.get(commit) !== state) expect(state, `cut at byte ${at}`).toBe(known.get(commit));
    checkEffects(recorded, at, Number.parseInt(state, 10));
  }
  expect(readFileSync(file)).toEqual(recorded.database);
  return new Set(known.values()).size;
}

/** Bytes that a disk writes as a whole. */
const SECTOR = 512;

function withoutSector(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.alloc(Math.min(SECTOR, bytes.length)), bytes.subarray(SECTOR)]);
}

/** Length of the feed first. */
const TELL = `SELECT tell((SELECT count(*) FROM events) || ' ' || (SELECT count(*) FROM messages) || ' ' ||
  (SELECT count(*) FROM documents) || ' ' || coalesce((SELECT json_group_array(json_array(status, message_count, event_count, usage, owner)) FROM sessions), ''))`;

function checkEffects({ effects, needed }: Recorded, at: number, feed: number): void {
  for (const [index, { call, synced }] of effects.entries())
    if (synced <= at && feed < (needed[index] ?? 0))
      throw new Error(`A cut at byte ${at} lost what led to ${call ?? 'the answer'}.`);
}

/**
 * Each note was written by one call, which the record has once, with one result. Calls that did not act are known as interrupted. Each
 * session ended once, and the root has one beginning and one end of each child.
 */
async function checkOnce(store: SessionStore, folder: string): Promise<void> {
  const lines = readFileSync(notesIn(folder), 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => line.split(' ')[0]).sort()).toEqual(NOTES);
  const { sessions } = await store.list({ limit: 10 });
  expect(sessions.map(({ agent_name }) => agent_name).sort()).toEqual(['explorer', 'explorer', null]);
  const messages = (await Promise.all(sessions.map(({ session_id }) => store.messages(session_id)))).flat();
  const made = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
  const results = messages.filter(({ role }) => role === 'tool');
  expect(results.map(({ tool_call_id }) => tool_call_id).sort()).toEqual(made.sort());
  expect(new Set(made).size).toBe(made.length);
  const acted = lines.map((line) => line.split(' ')[1]);
  for (const { name, tool_call_id, content } of results)
    if (name === 'note' && !acted.includes(tool_call_id)) expect(textOf(content)).toContain('interrupted');
  expect(made).toEqual(expect.arrayContaining(acted));
  const events = (await Promise.all(sessions.map(({ session_id }) => store.events(session_id)))).flat();
  const ended = events.filter(({ name, data }) => name === 'session:status' && data.status === 'completed');
  expect(ended.map(({ session_id }) => session_id).sort()).toEqual(
    sessions.map(({ session_id }) => session_id).sort(),
  );
  const about = events.filter(({ name }) => name.startsWith('delegate:')).map(({ name }) => name);
  expect(about.sort()).toEqual(
    TASKS.flatMap(() => ['delegate:agent_completed', 'delegate:agent_spawned']).sort(),
  );
}

/** The files as a power cut may leave them: everything that was synced, and of the rest what is before the position. */
function leaveCut({ database, wal }: Recorded, folder: string, at: number): string {
  mkdirSync(folder, { recursive: true });
  const file = `${folder}/record.db`;
  writeFileSync(file, database);
  writeFileSync(`${file}-wal`, wal.subarray(0, at));
  return file;
}

async function feedOf(store: SessionStore): Promise<string[]> {
  const entries: string[] = [];
  const until = await store.feedCursor();
  for await (const page of feedPages(store, { after: '0', until, messages: true }))
    for (const entry of page)
      entries.push(
        JSON.stringify('event' in entry ? entry.event : [entry.session_id, entry.seq, entry.message]),
      );
  return entries;
}

function framesOf(wal: Buffer): Pick<Recorded, 'frames' | 'commits'> {
  const frame = FRAME_HEADER + wal.readUInt32BE(8);
  const frames = [0, WAL_HEADER];
  const commits: number[] = [];
  for (let end = WAL_HEADER + frame; end <= wal.length; end += frame) {
    frames.push(end);
    // Only the last frame of a transaction has the length of the database.
    if (wal.readUInt32BE(end - frame + 4) > 0) commits.push(end);
  }
  return { frames, commits };
}

function notesBench(folder: string, see: (effect: Pick<Effect, 'call' | 'line'>) => void = () => {}) {
  const note: Tool = {
    name: 'note',
    description: 'Writes a note.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    execute: async ({ text }, { tool_call_id: call }) => {
      const line = `${text} ${call}`;
      appendFileSync(notesIn(folder), `${line}\n`);
      see({ call, line });
      return toolSuccess(`Noted ${text}.`);
    },
  };
  // A power cut ends all processes.
  const liveness = { self: systemLiveness.self, isAlive: () => false };
  return delegationBench({ folder, tools: [note], scene: notesScene(folder), liveness });
}

const notesIn = (folder: string) => `${folder}/notes.txt`;

/** A model that looks at the notes before it writes one. */
function notesScene(folder: string): Scene {
  return ({ messages }, { system }) => {
    const made = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
    const name = (what: string) => `${what}#${made.filter((id) => id.startsWith(`${what}#`)).length + 1}`;
    const write = (texts: string[]) => ({
      tool_calls: texts.map((text) => ({ id: name(text), name: 'note', arguments: { text } })),
    });
    const notes = readFileSync(notesIn(folder), { encoding: 'utf8', flag: 'a+' });
    const missing = (texts: string[]) => texts.filter((text) => !notes.includes(`${text} `));
    const said = (role: string, text: string) =>
      messages.some((message) => message.role === role && textOf(message.content).includes(text));
    if (!system.includes('root')) {
      const task = TASKS.find((each) => said('user', `Write ${each}.`)) ?? '';
      const groups = task.split(' ').map((group) => missing(group.split(',')));
      const next = groups.find((texts) => texts.length > 0);
      return next ? write(next) : { text: `Wrote ${task}.` };
    }
    const left = TASKS.filter((task) => !said('tool', `Wrote ${task}.`));
    if (left.length > 0) {
      const { tool_calls = [] } = delegating(
        ...left.map((task) => ({ agent: 'explorer', instruction: `Write ${task}.`, context_depth: 'none' })),
      );
      return { tool_calls: tool_calls.map((call, n) => ({ ...call, id: name(`delegate ${left[n]}`) })) };
    }
    const next = missing(['five']);
    return next.length > 0 ? write(next) : { text: ANSWER };
  };
}

/** A workspace for the recorded delegation and its cuts. */
export async function withRecorded(
  work: (recorded: Recorded, folderFor: (name: string) => string) => Promise<void>,
): Promise<void> {
  await using workspace = await TempWorkspace.create();
  const folder = workspace.resolve('recorded');
  mkdirSync(folder);
  const recorded = await recordDelegation(folder);
  await work(recorded, (name) => workspace.resolve(name));
}
