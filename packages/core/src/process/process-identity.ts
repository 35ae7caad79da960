import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';

/** Tells a process from a later one with the same number. */
export const ProcessIdentity = z.preprocess(
  fromEarlierForm,
  z.object({
    pid: z.number().int().positive(),
    /** Clock ticks from the boot to its start; null where there is no /proc. */
    start: z.string().nullable(),
    host: z.string(),
    boot: z.string().nullable(),
    /** Process numbers are valid within one namespace only. */
    namespace: z.string().nullable(),
    /** Its key at the database server that holds the record. */
    connection: z.number().optional(),
  }),
);
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

/** Trees and patches that were stored earlier have `start_time`, and the boot in `namespace`. */
function fromEarlierForm(stored: unknown): unknown {
  const { pid, start_time, namespace } = (stored ?? {}) as Record<string, unknown>;
  if (typeof start_time !== 'number' || typeof namespace !== 'string') return stored;
  const [boot = null, own = null] = namespace === '' ? [] : namespace.split('/');
  return { pid, start: start_time === 0 ? null : String(start_time), host: '', boot, namespace: own };
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
  isAlive: (other) => livenessOf(other) !== 'dead',
};

/** `unknown` for a process of another boot, container or machine. */
export function livenessOf(other: ProcessIdentity): 'alive' | 'dead' | 'unknown' {
  const own = systemLiveness.self;
  if (!isJudgeable(other, own)) return 'unknown';
  return runsHere(other, own) ? 'alive' : 'dead';
}

/** For owners of files on a disk of this machine: a process of an earlier boot has ended as well. */
export function hasEnded(owner: ProcessIdentity): boolean {
  return livenessOf(owner) === 'dead' || owner.boot !== systemLiveness.self.boot;
}

function runsHere(other: ProcessIdentity, own: ProcessIdentity): boolean {
  if (other.pid === own.pid && other.start === own.start) return true;
  if (other.start === null) return answersSignals(other.pid);
  const now = startOf(other.pid);
  if (now === null) return own.start === null && answersSignals(other.pid);
  return now.start === other.start && now.state !== 'Z' && now.state !== 'X';
}

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
