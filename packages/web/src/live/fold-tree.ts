import type { SessionEvent, TreeNode } from '../api/types.js';

/** A tree by its ids. A change replaces the node it concerns and leaves all others the same. */
export interface Tree {
  root: string;
  nodes: Map<string, TreeNode>;
}

export function treeOf(root: TreeNode): Tree {
  const nodes = new Map<string, TreeNode>();
  const stack = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    nodes.set(node.session_id, node);
    for (const child of node.children) stack.push(child);
  }
  return { root: root.session_id, nodes };
}

/** What one event changes: nothing, members of nodes, or who is there. */
export type Change = 'none' | 'members' | 'shape';

/** Takes an event into the tree, in place: a thousand nodes and fifty events a second leave no time for copies. */
export function foldEvent(tree: Tree, event: SessionEvent): Change {
  const node = tree.nodes.get(event.session_id);
  if (!node) return event.name === 'session:created' ? addNode(tree, event) : 'none';
  if (event.seq <= node.event_seq) return 'none';
  node.event_seq = event.seq;
  const { data } = event;
  switch (event.name) {
    case 'session:status':
      return foldStatus(node, event);
    case 'llm:response':
      return foldUsage(node, data);
    case 'question:asked':
    case 'approval:required':
      node.waiting = data.kind === 'question' ? 'question' : 'approval';
      return 'members';
    case 'question:answered':
    case 'question:closed':
    case 'approval:granted':
    case 'approval:denied':
      node.waiting = null;
      return 'members';
    case 'run:started':
      node.status = 'active';
      node.outcome_status = null;
      node.ended_at = null;
      return 'members';
    case 'run:ended':
      return foldRunEnd(node, event);
    default:
      return 'none';
  }
}

function addNode(tree: Tree, { data, time, session_id, parent_id, seq }: SessionEvent): Change {
  const parent = parent_id === null ? undefined : tree.nodes.get(parent_id);
  if (!parent) return 'none';
  const node: TreeNode = {
    session_id,
    parent_id,
    agent: text(data.agent_name),
    status: 'active',
    outcome_status: null,
    model: null,
    interrupted: false,
    started_at: time,
    ended_at: null,
    tokens: 0,
    cost_usd: '0',
    waiting: null,
    error: null,
    title: text(data.name),
    depth: parent.depth + 1,
    tool_call_id: text(data.tool_call_id),
    event_seq: seq,
    children: [],
  };
  parent.children.push(node);
  tree.nodes.set(session_id, node);
  return 'shape';
}

function foldStatus(node: TreeNode, { data, time }: SessionEvent): Change {
  node.status = text(data.status) ?? node.status;
  node.interrupted = data.interrupted === true;
  const outcome = member(data.last_outcome, 'outcome') as Record<string, unknown> | undefined;
  if (node.status === 'active') {
    node.outcome_status = null;
    node.ended_at = null;
    node.error = null;
  } else {
    node.ended_at = time;
    node.waiting = null;
    node.outcome_status = text(outcome?.status) ?? node.outcome_status;
    node.error = text(member(data.error, 'message')) ?? text(member(outcome?.error, 'message'));
  }
  return 'members';
}

function foldRunEnd(node: TreeNode, { data, time }: SessionEvent): Change {
  node.outcome_status = text(member(data.outcome, 'status')) ?? text(data.status) ?? node.outcome_status;
  node.ended_at = time;
  node.error = text(member(data.error, 'message')) ?? text(member(member(data.outcome, 'error'), 'message'));
  if (node.status === 'active') node.status = 'idle';
  node.waiting = null;
  return 'members';
}

function foldUsage(node: TreeNode, data: Record<string, unknown>): Change {
  const usage = data.usage as { total_tokens?: number; cost_usd?: string | null } | undefined;
  node.model = text(data.model) ?? node.model;
  // Nothing used yet is no unknown cost.
  node.cost_usd = addMoney(node.tokens === 0 ? '0' : node.cost_usd, usage?.cost_usd ?? null);
  node.tokens += usage?.total_tokens ?? 0;
  return 'members';
}

/** Unknown and anything is unknown. */
export function addMoney(a: string | null, b: string | null): string | null {
  return a === null || b === null ? null : String(Number((Number(a) + Number(b)).toFixed(9)));
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function member(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[name] : undefined;
}

/** Everything below and including a node: what it cost together. */
export function rollUp(node: TreeNode): { tokens: number; cost_usd: string | null; sessions: number } {
  let tokens = 0;
  let sessions = 0;
  let cost: string | null = '0';
  const stack = [node];
  for (let at = stack.pop(); at; at = stack.pop()) {
    tokens += at.tokens;
    if (at.tokens > 0) cost = addMoney(cost, at.cost_usd);
    sessions++;
    stack.push(...at.children);
  }
  return { tokens, cost_usd: cost, sessions };
}
