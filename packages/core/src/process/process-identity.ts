import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Enough of a process to tell it from a later one with the same number. */
export interface ProcessIdentity {
  pid: number;
  /** When it started, in the kernel's own count; null where there is no /proc. */
  start: string | null;
  host: string;
  boot: string | null;
  /** Process numbers mean something only within one namespace. */
  namespace: string | null;
  /** What it is known by where the record is, when that is on a server. */
  connection?: number;
}

/** Who this process is, and whether another is alive. A test may supply its own. */
export interface Liveness {
  self: ProcessIdentity;
  /** Must answer true whenever it cannot tell: then the lease decides. */
  isAlive(process: ProcessIdentity): boolean;
}

/**
 * Can one process tell whether the other lives? Only within one boot of a machine and one namespace of process numbers; what
 * the machine is called does not matter, where it says which boot this is.
 */
export function isJudgeable(other: ProcessIdentity, self: ProcessIdentity): boolean {
  if (other.boot !== self.boot || other.namespace !== self.namespace) return false;
  return self.boot !== null || other.host === self.host;
}

let self: ProcessIdentity | undefined;

export const systemLiveness: Liveness = {
  get self() {
    self ??= {
      pid: process.pid,
      start: startOf(process.pid)?.start ?? null,
      host: hostname(),
      boot: readOrNull('/proc/sys/kernel/random/boot_id'),
      namespace: pidNamespace(),
    };
    return self;
  },
  isAlive(other) {
    const own = systemLiveness.self;
    if (!isJudgeable(other, own)) return true;
    if (other.pid === own.pid && other.start === own.start) return true;
    if (other.start === null) return answersSignals(other.pid);
    const now = startOf(other.pid);
    if (now === null) return own.start === null && answersSignals(other.pid);
    return now.start === other.start && now.state !== 'Z' && now.state !== 'X';
  },
};

/** Fields 3 and 22 of /proc/<pid>/stat; the name in field 2 may itself contain spaces and parentheses. */
function startOf(pid: number): { state: string; start: string } | null {
  const text = readOrNull(`/proc/${pid}/stat`);
  if (text === null) return null;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', start: fields[19] ?? '' };
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}

function pidNamespace(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return null;
  }
}
