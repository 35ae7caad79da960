import type { DelegationTree, TreeNode } from '@amplifier/host';
import type { Cli } from '../cli.js';
import { fit, widthOf } from './fit.js';

type NodeState = 'waiting' | 'thinking' | 'tool' | 'done' | 'failed' | 'cancelled' | 'asking';

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
    const facts = [elapsed(timeOf(node.ended_at, now) - timeOf(node.started_at, now)), ...spent(node)].join(
      ' · ',
    );
    const agent = fit(agentName(node), width);
    const state = stateOf(node);
    const lead = `${prefix}${SIGNS[state]} ${agent}`;
    const line = `${lead}  ${facts}`;
    const room = width - widthOf(line) - 2;
    const words = doingWords(node, now);
    const doing = words === '' || room < 8 ? '' : `  ${fit(words, room)}`;
    if (widthOf(line) > width) return fit(lead, width);
    const paint = state === 'failed' ? color.red : state === 'done' ? color.green : color.cyan;
    return `${color.dim(prefix)}${paint(SIGNS[state])} ${agent}  ${color.dim(facts)}${color.dim(doing)}`;
  }
}

export function stateOf({ outcome_status, tools }: TreeNode): NodeState {
  if (outcome_status !== null) return ENDINGS[outcome_status] ?? 'failed';
  if (tools === undefined) return 'waiting';
  return tools.size > 0 ? 'tool' : 'thinking';
}

const ENDINGS: Record<string, NodeState> = {
  completed: 'done',
  needs_input: 'asking',
  cancelled: 'cancelled',
};

export const hasEnded = ({ outcome_status }: TreeNode): boolean => outcome_status !== null;

export const agentName = ({ agent }: TreeNode): string => agent ?? 'amplifier';

/** Events that are shown as a line each where the tree cannot be drawn. */
export const SHOWN_EVENTS: ReadonlySet<string> = new Set([
  'delegate:agent_spawned',
  'delegate:agent_completed',
  'delegate:agent_cancelled',
  'delegate:error',
  'tool:pre',
]);

/** `scout: tool read_file README.md`. */
export function nodeLine(node: TreeNode): string {
  return `${agentName(node)}: ${stateOf(node)} ${doingWords(node, null)}`.trimEnd();
}

/** Its newest tool call, or why it failed. A delayed model call says why and, at a time `now`, for how long. */
export function doingWords({ outcome_status, error, delay, tools }: TreeNode, now: number | null): string {
  if (outcome_status !== null) return error ?? '';
  if (!delay) return [...(tools?.values() ?? [])].at(-1) ?? '';
  if (delay.until === null || now === null) return delay.because;
  return `retrying in ${Math.max(0, Math.ceil((delay.until - now) / 1000))} s (${delay.because})`;
}

export function timeOf(iso: string | null, now: number): number {
  return iso === null ? now : Date.parse(iso);
}

export function elapsed(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} m ${Math.floor(seconds % 60)} s`;
}

function spent({ tokens, cost_usd }: TreeNode): string[] {
  const cost = Number(cost_usd);
  return [...(tokens > 0 ? [`${tokens} tok`] : []), ...(cost > 0 ? [`$${cost.toFixed(4)}`] : [])];
}
