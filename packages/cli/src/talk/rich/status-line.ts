import { truncateToWidth } from '@earendil-works/pi-tui';
import type { TreeNode } from '../../terminal/delegation-tree.js';
import { doingWords, elapsed } from '../../terminal/draw-tree.js';

export interface Standing {
  model: string | null;
  /** Tokens that the last call sent, and how many the model takes; null while unknown. */
  context: { used: number; window: number | null } | null;
  tokens: number;
  cost: number | null;
  /** The session itself while a turn runs. */
  node: TreeNode | null;
  isAsking: boolean;
  isStopping: boolean;
}

/** `fake-1 · 12 % of 200k · 1,234 tok · $0.0100 · bash npm test · 3.2 s`: all a person wants to know at a glance, in one line. */
export function statusLine(standing: Standing, now: number, width: number): string {
  const { model, context, tokens, cost, node } = standing;
  const facts = [
    ...(model === null ? [] : [model]),
    ...(context === null ? [] : [contextWords(context)]),
    ...(tokens > 0 ? [`${tokens.toLocaleString('en')} tok`] : []),
    ...(cost === null || cost === 0 ? [] : [`$${cost.toFixed(4)}`]),
    ...(node === null ? [] : [doing(standing, node, now), elapsed(now - node.started)]),
  ];
  const end = node === null ? '/help · Ctrl-D leaves' : standing.isStopping ? '' : 'Esc stops';
  return truncateToWidth([...facts, ...(end === '' ? [] : [end])].join(' · '), width, '…');
}

function doing({ isAsking, isStopping }: Standing, node: TreeNode, now: number): string {
  if (isStopping) return 'stopping';
  if (isAsking) return 'waiting for your answer';
  return doingWords(node, now) || (node.state === 'waiting' ? 'starting' : node.state);
}

function contextWords({ used, window }: NonNullable<Standing['context']>): string {
  if (window === null) return `${thousands(used)} in context`;
  return `${Math.round((used / window) * 100)} % of ${thousands(window)}`;
}

function thousands(count: number): string {
  return count < 1000 ? String(count) : `${Math.round(count / 1000)}k`;
}
