import type { Cli } from '../cli.js';
import type { DelegationTree, NodeState, TreeNode } from './delegation-tree.js';
import { fit, widthOf } from './fit.js';

const SIGNS: Record<NodeState, string> = {
  waiting: '·',
  thinking: '◐',
  tool: '▸',
  done: '✓',
  failed: '✗',
  cancelled: '■',
  asking: '?',
};

/** The tree as lines no wider than `width`. */
export function drawTree(
  tree: DelegationTree,
  { now, width, color }: { now: number; width: number; color: Cli['color'] },
): string[] {
  const nodes = [...tree.values()];
  const roots = nodes.filter(({ parent_id }) => parent_id === null || !tree.has(parent_id));
  return roots.flatMap((root) => drawBranch(root, '', ''));

  function drawBranch(node: TreeNode, first: string, rest: string): string[] {
    const children = nodes.filter(({ parent_id }) => parent_id === node.session_id);
    return [
      drawNode(node, first),
      ...children.flatMap((child, index) =>
        index === children.length - 1
          ? drawBranch(child, `${rest}└─ `, `${rest}   `)
          : drawBranch(child, `${rest}├─ `, `${rest}│  `),
      ),
    ];
  }

  function drawNode(node: TreeNode, prefix: string): string {
    const facts = [elapsed((node.ended ?? now) - node.started), ...spent(node)].join(' · ');
    const agent = fit(node.agent, width);
    const lead = `${prefix}${SIGNS[node.state]} ${agent}`;
    const line = `${lead}  ${facts}`;
    const room = width - widthOf(line) - 2;
    const words = doingWords(node, now);
    const doing = words === '' || room < 8 ? '' : `  ${fit(words, room)}`;
    if (widthOf(line) > width) return fit(lead, width);
    const paint = node.state === 'failed' ? color.red : node.state === 'done' ? color.green : color.cyan;
    return `${color.dim(prefix)}${paint(SIGNS[node.state])} ${agent}  ${color.dim(facts)}${color.dim(doing)}`;
  }
}

/** What a session does now; while it waits to try again, for how long and why. */
export function doingWords({ doing, until }: TreeNode, now: number): string {
  if (until === null) return doing;
  return `retrying in ${Math.max(0, Math.ceil((until - now) / 1000))} s (${doing})`;
}

export function elapsed(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} m ${Math.floor(seconds % 60)} s`;
}

function spent({ tokens, cost }: TreeNode): string[] {
  return [
    ...(tokens > 0 ? [`${tokens} tok`] : []),
    ...(cost !== null && cost > 0 ? [`$${cost.toFixed(4)}`] : []),
  ];
}
