import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

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

/** Every living process; the dead that nobody has collected yet are not among them. */
export function listProcesses(): ProcessEntry[] {
  return hasProc() ? readProc() : readPs();
}

/** The process with this pid, or null when it is gone or dead. */
export function findProcess(pid: number): ProcessEntry | null {
  if (hasProc()) return parseStat(pid);
  return listProcesses().find((entry) => entry.pid === pid) ?? null;
}

/** The value of an environment variable the process was started with; null when unset, or not ours to read. */
export function startedWith(pid: number, variable: string): string | null {
  const wanted = `${variable}=`;
  const environment = readText(`/proc/${pid}/environ`);
  const found = environment?.split('\0').find((line) => line.startsWith(wanted));
  return found === undefined ? null : found.slice(wanted.length);
}

/** Tells apart machines' restarts and containers, where pids begin anew. Empty where the system does not tell. */
export function pidNamespace(): string {
  try {
    return `${readText('/proc/sys/kernel/random/boot_id')?.trim()}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}

function readProc(): ProcessEntry[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (parseStat(Number(name)) ?? []) : []));
}

function parseStat(pid: number): ProcessEntry | null {
  const text = readText(`/proc/${pid}/stat`);
  if (text === null) return null;
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

function readPs(): ProcessEntry[] {
  const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' });
  return text.split('\n').flatMap((line) => {
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
