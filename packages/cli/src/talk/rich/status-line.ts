import type { TreeNode } from '@amplifier/host';
import { truncateToWidth, visibleWidth } from '@earendil-works/pi-tui';
import { doingWords, elapsed, stateOf, timeOf } from '../../terminal/draw-tree.js';

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

/**
 * `fake-1 · 12 % of 200k · 1,234 tok · $0.0100 · bash npm test · 3.2 s`: all a person wants to know at a glance, in one line. Where
 * that is too narrow, whole facts go, those first that can be done without; the first of the last two is cut.
 */
export function statusLine(standing: Standing, now: number, width: number): string {
  const { model, context, tokens, cost, node } = standing;
  const hint = node === null ? '/help · Ctrl-D quits' : standing.isStopping ? '' : 'Esc stops';
  let facts = [
    { words: model ?? '', weight: 4 },
    { words: context === null ? '' : contextWords(context), weight: 3 },
    { words: tokens > 0 ? `${tokens.toLocaleString('en')} tok` : '', weight: 1 },
    { words: cost === null || cost === 0 ? '' : `$${cost.toFixed(4)}`, weight: 2 },
    { words: node === null ? '' : doing(standing, node, now), weight: 6 },
    { words: node === null ? '' : elapsed(now - timeOf(node.started_at, now)), weight: 5 },
    { words: hint, weight: 0 },
  ].filter(({ words }) => words !== '');
  const line = () => facts.map(({ words }) => words).join(' · ');
  while (facts.length > 2 && visibleWidth(line()) > width) {
    const least = Math.min(...facts.map(({ weight }) => weight));
    facts = facts.filter(({ weight }) => weight !== least);
  }
  const [first, ...rest] = facts;
  if (first && rest.length > 0 && visibleWidth(line()) > width) {
    const room = visibleWidth(first.words) - (visibleWidth(line()) - width);
    if (room > 8) first.words = truncateToWidth(first.words, room, '…');
  }
  return truncateToWidth(line(), width, '…');
}

function doing({ isAsking, isStopping }: Standing, node: TreeNode, now: number): string {
  if (isStopping) return 'stopping';
  if (isAsking) return 'waiting for your answer';
  const state = stateOf(node);
  return doingWords(node, now) || (state === 'waiting' ? 'starting' : state);
}

function contextWords({ used, window }: NonNullable<Standing['context']>): string {
  if (window === null) return `${thousands(used)} in context`;
  return `${Math.round((used / window) * 100)} % of ${thousands(window)}`;
}

function thousands(count: number): string {
  return count < 1000 ? String(count) : `${Math.round(count / 1000)}k`;
}
