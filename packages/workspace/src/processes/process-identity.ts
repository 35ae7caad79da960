import { z } from 'zod';
import { findProcess, pidNamespace } from './process-table.js';

/** Names one process for good: a pid alone is given to somebody else one day. */
export const ProcessIdentity = z.object({
  pid: z.number().int().positive(),
  start_time: z.number(),
  /** The machine's boot and the pid namespace in which the pid means something. */
  namespace: z.string(),
});
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

export function ownIdentity(): ProcessIdentity {
  return {
    pid: process.pid,
    start_time: findProcess(process.pid)?.start_time ?? 0,
    namespace: pidNamespace(),
  };
}

/**
 * Does that process still run? `unknown` when it belongs to another machine's boot or to another container, where its pid
 * cannot be looked up from here. A reboot ends everything, but looks the same as another container; treat `unknown` with care.
 */
export function livenessOf(identity: ProcessIdentity): 'alive' | 'dead' | 'unknown' {
  const here = pidNamespace();
  if (identity.namespace !== here) return bootOf(identity.namespace) === bootOf(here) ? 'unknown' : 'dead';
  const found = findProcess(identity.pid);
  return found?.start_time === identity.start_time ? 'alive' : 'dead';
}

function bootOf(namespace: string): string {
  return namespace.split('/')[0] ?? '';
}

/** In one line, for an environment variable. */
export function formatIdentity({ pid, start_time, namespace }: ProcessIdentity): string {
  return `${pid}:${start_time}:${namespace}`;
}

export function parseIdentity(text: string): ProcessIdentity | null {
  const [, pid, start_time, namespace] = /^(\d+):(\d+):(.*)$/.exec(text) ?? [];
  if (pid === undefined || start_time === undefined || namespace === undefined) return null;
  return { pid: Number(pid), start_time: Number(start_time), namespace };
}
