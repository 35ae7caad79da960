import type { TreeNode } from '../api/types.js';

/** How a session stands, for a person: each state has a colour, a shape and a word. */
export type State = 'running' | 'waiting' | 'done' | 'failed' | 'cancelled' | 'interrupted' | 'idle';

type Standing = Pick<TreeNode, 'status' | 'outcome_status' | 'waiting'> & { interrupted?: boolean };

export function stateOf({ status, outcome_status, waiting, interrupted }: Standing): State {
  if (waiting) return 'waiting';
  if (interrupted || outcome_status === 'interrupted') return 'interrupted';
  if (status === 'active' || status === 'running' || status === 'queued') return 'running';
  if (outcome_status) return OUTCOMES[outcome_status] ?? 'failed';
  return STATUSES[status] ?? 'idle';
}

const OUTCOMES: Record<string, State> = {
  completed: 'done',
  needs_input: 'waiting',
  cancelled: 'cancelled',
  limit: 'failed',
  refused: 'failed',
  denied: 'failed',
  stalled: 'failed',
  failed: 'failed',
};

const STATUSES: Record<string, State> = {
  created: 'idle',
  completed: 'done',
  failed: 'failed',
  terminated: 'cancelled',
  cancelled: 'cancelled',
  waiting: 'waiting',
  interrupted: 'interrupted',
  idle: 'idle',
};

/** The word beside the mark. A failed one says why. */
export function wordOf(node: Standing & { error?: string | null }): string {
  const state = stateOf(node);
  if (state === 'waiting') return node.waiting === 'approval' ? 'needs approval' : 'has a question';
  if (state === 'failed') return FAILURES[node.outcome_status ?? ''] ?? 'failed';
  return state;
}

const FAILURES: Record<string, string> = {
  limit: 'hit a limit',
  refused: 'refused',
  denied: 'denied',
  stalled: 'stalled',
};
