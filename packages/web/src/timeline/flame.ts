import type { TreeNode } from '../api/types.js';

export interface FlameBox {
  node: TreeNode;
  level: number;
  /** Between 0 and 1. */
  at: number;
  width: number;
  value: number;
  own: number;
}

/** Narrower than this nobody sees it. */
const LEAST = 0.0008;

/** Each session as wide as what it and everything below it took, under its parent. */
export function flameBoxes(root: TreeNode, own: (node: TreeNode) => number): FlameBox[] {
  const sums = new Map<TreeNode, number>();
  const add = (node: TreeNode): number => {
    const sum = own(node) + node.children.reduce((total, child) => total + add(child), 0);
    sums.set(node, sum);
    return sum;
  };
  const whole = add(root) || 1;
  const boxes: FlameBox[] = [];
  const place = (node: TreeNode, level: number, at: number): void => {
    const value = sums.get(node) ?? 0;
    const width = value / whole;
    if (width < LEAST && level > 0) return;
    boxes.push({ node, level, at, width, value, own: own(node) });
    let next = at;
    for (const child of [...node.children].sort((a, b) => (sums.get(b) ?? 0) - (sums.get(a) ?? 0))) {
      place(child, level + 1, next);
      next += (sums.get(child) ?? 0) / whole;
    }
  };
  place(root, 0, 0);
  return boxes;
}
