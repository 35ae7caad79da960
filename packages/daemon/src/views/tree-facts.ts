import type { SessionNode } from '@amplifier/sessions';
import type { Services } from '../services.js';
import type { NodeFacts } from './tree-node.js';

/** Who of them waits for a person, and whose process died. Only those that are at work can. */
export async function factsOf(
  { approvals, runs }: Pick<Services, 'approvals' | 'runs'>,
  nodes: readonly SessionNode[],
): Promise<NodeFacts> {
  const active = nodes.filter(({ status }) => status === 'active');
  if (active.length === 0) return { waiting: new Map(), interrupted: new Set() };
  const open = await approvals.pendingIn(active.map(({ session_id }) => session_id));
  const dead = await Promise.all(active.map((node) => runs.isInterrupted(node)));
  return {
    waiting: new Map(open.map(({ session_id, kind }) => [session_id, kind])),
    interrupted: new Set(active.flatMap(({ session_id }, at) => (dead[at] ? [session_id] : []))),
  };
}
