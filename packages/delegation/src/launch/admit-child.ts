import { checkGrant } from '@amplifier/workspace';
import type { DelegateConfig } from '../delegate-config.js';
import { DelegationError } from '../delegation-error.js';
import type { Parent } from '../parent.js';

/** Handing a task to a session, new or old, takes the right to delegate. */
export function requireRightToDelegate(agent: string, { grant }: Parent): void {
  const { allowed, because } = checkGrant(grant, { kind: 'delegate', agent });
  if (!allowed) throw new DelegationError(because, { code: 'DELEGATION_DENIED' });
}

/** May this parent have one more child of this name? Refuses with the limit that stands in the way. Counts it in. */
export function admitChild(agent: string, parent: Parent, { features }: DelegateConfig): void {
  requireRightToDelegate(agent, parent);
  const { enabled, max_depth } = features.self_delegation;
  if (agent === 'self' && parent.self_depth >= max_depth) {
    throw new DelegationError(
      `Self-delegation is limited to ${max_depth} levels. Delegate to a named agent, or do the work here.`,
      { code: 'SELF_DELEGATION_DEPTH_EXCEEDED' },
    );
  }
  if (agent === 'self' && !enabled) {
    throw new DelegationError('Self-delegation is disabled. Name an agent, or do the work here.', {
      code: 'SELF_DELEGATION_DISABLED',
    });
  }
  if (parent.depth >= parent.limits.max_depth) {
    throw new DelegationError(
      `Delegations are limited to ${parent.limits.max_depth} levels, and this session is at level ${parent.depth}. Do the work here.`,
      { code: 'LIMIT_REACHED' },
    );
  }
  if (!parent.tree.admitChild(parent.limits.max_children)) {
    throw new DelegationError(
      `This tree has had its ${Math.min(parent.limits.max_children, parent.tree.limits.max_children)} children. Resume one of them, or do the work here.`,
      { code: 'LIMIT_REACHED' },
    );
  }
}
