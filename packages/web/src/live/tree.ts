import { addDecimals, type DelegationTree } from '@amplifier/core/browser';
import type { TreeNode } from '../api/types.js';

export interface Tree {
  root: string;
  nodes: DelegationTree;
}

export function treeOf(root: TreeNode): Tree {
  const nodes: DelegationTree = new Map();
  const stack = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    nodes.set(node.session_id, node);
    for (const child of node.children) stack.push(child);
  }
  return { root: root.session_id, nodes };
}

/** Unknown and anything is unknown. */
export function addMoney(a: string | null, b: string | null): string | null {
  return a === null || b === null ? null : addDecimals(a, b);
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
