import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from '@amplifier/core';
import { FILE_MODE, FOLDER_MODE } from '../defaults.js';
import type { Liveness } from '../process-identity.js';
import { isSessionId } from '../session-ids.js';
import { writeAllAt } from './descriptor.js';
import { flushSessions } from './flush-session.js';
import { exists } from './folder.js';
import { decodeFrames, type Frame } from './redo-frames.js';
import { type RedoHeader, redoFolder } from './redo-log.js';
import { isMissing } from './storage-error.js';
import { warn } from './store-context.js';
import { isInTrash } from './trash.js';

interface AbandonedLog {
  path: string;
  owner: RedoHeader['owner'];
  frames: Frame[];
}

export interface RedoRecovery {
  folder: string;
  liveness: Liveness;
  report: Report;
}

/** What the redo logs of dead processes lead to. */
export interface Recovered {
  /** Sessions of a machine that stopped: put right, and to be told of again. */
  restored: string[];
  /** Logs of processes that were killed while the machine ran on. Their files are whole, and still have to be flushed. */
  unsettled: { paths: string[]; sessions: string[] };
}

/**
 * Every byte that was acknowledged before the machine stopped is put where it belongs unless it is there, and flushed.
 * Doing it twice, or by two processes at once, changes nothing.
 */
export async function recoverRedo(store: RedoRecovery): Promise<Recovered> {
  const logs = await abandonedLogs(store);
  const { boot } = store.liveness.self;
  const killed = logs.filter(({ owner }) => owner.boot === boot);
  const sessions = new Set(killed.flatMap(({ frames }) => frames.map(({ session_id }) => session_id)));
  return {
    restored: await restore(
      store,
      logs.filter(({ owner }) => owner.boot !== boot),
    ),
    unsettled: { paths: killed.map(({ path }) => path), sessions: [...sessions] },
  };
}

async function restore(store: RedoRecovery, logs: readonly AbandonedLog[]): Promise<string[]> {
  if (logs.length === 0) return [];
  // Sessions change hands, so the frames of one file may be in several logs. Their offsets say in which order they were written.
  const frames = logs.flatMap((log) => log.frames).sort((a, b) => a.offset - b.offset);
  const fences = new Map<string, number>();
  for (const frame of frames) {
    const { session_id } = frame;
    const fence = fences.get(session_id) ?? readFence(join(store.folder, session_id));
    fences.set(session_id, fence);
    if (frame.epoch >= fence) await redo(store, frame);
  }
  const sessions = [...fences.keys()];
  await flushSessions(store.folder, new Map(sessions.map((session_id) => [session_id, true])));
  for (const { path } of logs) await rm(path, { force: true });
  return sessions;
}

async function abandonedLogs({ folder, liveness }: RedoRecovery): Promise<AbandonedLog[]> {
  const logs: AbandonedLog[] = [];
  for (const name of await redoNames(folder)) {
    const path = join(redoFolder(folder), name);
    const log = await readFile(path).catch((error) => {
      if (isMissing(error)) return null;
      throw error;
    });
    if (log === null) continue;
    const header = parseHeader(log);
    if (header && liveness.isAlive(header.owner)) continue;
    // A log without a header never had a flush that succeeded.
    if (!header) await rm(path, { force: true });
    else {
      const frames = [...wholeBirths([...decodeFrames(log, log.indexOf(10) + 1)])].filter(isOurs);
      logs.push({ path, owner: header.owner, frames });
    }
  }
  return logs;
}

/** A birth is all of its files or none: where the log ends in the middle of one, nobody was told of it. */
function* wholeBirths(frames: readonly Frame[]): Generator<Frame> {
  for (let at = 0; at < frames.length; ) {
    const next = at + (frames[at]?.born ?? 1);
    if (next <= frames.length) yield* frames.slice(at, next);
    at = next;
  }
}

/** What is read back is checked like any other input before it names a file. */
function isOurs({ session_id, file }: Frame): boolean {
  return isSessionId(session_id) && /^[a-z][a-z0-9_.-]*$/.test(file);
}

async function redoNames(folder: string): Promise<string[]> {
  try {
    return (await readdir(redoFolder(folder))).filter((name) => name.endsWith('.redo')).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function parseHeader(log: Buffer): RedoHeader | null {
  try {
    return JSON.parse(log.toString('utf8', 0, log.indexOf(10)));
  } catch {
    return null; // Told apart by the caller.
  }
}

async function redo(store: RedoRecovery, frame: Frame): Promise<void> {
  const { session_id, file, offset, bytes, born } = frame;
  const folder = join(store.folder, session_id);
  const path = join(folder, file);
  if (!exists(path)) {
    if (!born || (await isInTrash(store.folder, session_id))) return;
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  }
  const fd = openSync(path, exists(path) ? 'r+' : 'wx+', FILE_MODE);
  try {
    const { size } = fstatSync(fd);
    const there = Buffer.alloc(Math.min(bytes.length, Math.max(0, size - offset)));
    readSync(fd, there, 0, there.length, offset);
    // What is there is never overwritten: a document may be a later one, and a log that reads otherwise is not the one meant.
    if (there.equals(bytes) || !isLost(there, bytes)) return;
    if (offset > size) {
      const message = `${path}: bytes ${size} to ${offset} are lost, so what came after them cannot be put back.`;
      warn(store.report, 'REDO_GAP', message, undefined);
      return;
    }
    writeAllAt(fd, bytes, offset);
  } finally {
    closeSync(fd);
  }
}

/** Whether all that is there of some bytes is their beginning, or a hole that was never filled. */
function isLost(there: Buffer, bytes: Buffer): boolean {
  return there.every((byte, at) => byte === 0 || byte === bytes[at]);
}

/** Since this lock number the logs are copies that an older owner cannot write to; its frames are about files long gone. */
function readFence(folder: string): number {
  try {
    const fences = readdirSync(folder).flatMap((name) => /^\.fence\.(\d+)$/.exec(name)?.[1] ?? []);
    return Math.max(0, ...fences.map(Number));
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}
