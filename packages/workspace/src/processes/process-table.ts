import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { SCAN_CONCURRENCY, SCAN_ROUNDS } from '../defaults.js';

/** One line of the process table. */
export interface ProcessEntry {
  pid: number;
  ppid: number;
  /** Session id; 0 where the system does not tell. */
  session: number;
  /** Name of the executable, cut by the kernel to 15 characters; empty where the system does not tell. */
  name: string;
  /** Clock ticks since boot. With the pid it names one process for good; 0 where the system does not tell. */
  start_time: number;
}

/** Is there a /proc to read? Without it descendants are known by their parents only. */
export const hasProc = (): boolean => existsSync('/proc/self/stat');

let reading: Promise<ProcessEntry[]> | null = null;
let next: Promise<ProcessEntry[]> | null = null;

/**
 * Every living process; the dead that nobody has collected yet are not among them. The table is read after the call, never before it;
 * whoever asks while it is being read shares the next reading with all others who do.
 */
export function listProcesses(): Promise<ProcessEntry[]> {
  if (!reading) return start();
  next ??= reading.then(start, start);
  return next;
}

function start(): Promise<ProcessEntry[]> {
  next = null;
  const own = (hasProc() ? readProc() : readPs()).finally(() => {
    if (reading === own) reading = null;
  });
  reading = own;
  return own;
}

/** The process with this pid, or null when it is gone or dead. */
export function findProcess(pid: number): ProcessEntry | null {
  const text = readText(`/proc/${pid}/stat`);
  return text === null ? null : parseStat(pid, text);
}

/** The value of an environment variable the process was started with; null when unset, or not ours to read. */
export async function startedWith(pid: number, variable: string): Promise<string | null> {
  const wanted = `${variable}=`;
  const environment = await readLater(`/proc/${pid}/environ`);
  const found = environment?.split('\0').find((line) => line.startsWith(wanted));
  return found === undefined ? null : found.slice(wanted.length);
}

async function readProc(): Promise<ProcessEntry[]> {
  const found: ProcessEntry[] = [];
  const known = new Set<number>();
  // One that hands on to another and ends while the table is read would be missed with its heir; so new ones are looked for again.
  for (let round = 0; round < SCAN_ROUNDS; round++) {
    const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
    const pids = names.filter((pid) => !known.has(pid));
    if (pids.length === 0) break;
    for (const pid of pids) known.add(pid);
    const worker = async () => {
      for (let pid = pids.shift(); pid !== undefined; pid = pids.shift()) {
        const text = await readLater(`/proc/${pid}/stat`);
        const entry = text === null ? null : parseStat(pid, text);
        if (entry) found.push(entry);
      }
    };
    await Promise.all(Array.from({ length: SCAN_CONCURRENCY }, worker));
  }
  return found;
}

function parseStat(pid: number, text: string): ProcessEntry | null {
  // The name is in parentheses and may itself contain any character, parentheses too.
  const nameEnd = text.lastIndexOf(')');
  const fields = text.slice(nameEnd + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return null;
  return {
    pid,
    ppid: Number(fields[1]),
    session: Number(fields[3]),
    name: text.slice(text.indexOf('(') + 1, nameEnd),
    start_time: Number(fields[19]),
  };
}

async function readPs(): Promise<ProcessEntry[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=']);
  return stdout.split('\n').flatMap((line) => {
    const [pid, ppid, state] = line.trim().split(/\s+/);
    if (!pid || state?.startsWith('Z')) return [];
    return [{ pid: Number(pid), ppid: Number(ppid), session: 0, name: '', start_time: 0 }];
  });
}

/** Null when the process has just gone, or belongs to somebody else. */
function readText(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}

async function readLater(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'latin1');
  } catch {
    return null;
  }
}
