import type { TreeNode } from '../api/types.js';

export interface TreeRow {
  node: TreeNode;
  level: number;
  isOpen: boolean;
  /** For readers: which of how many. */
  position: number;
  size: number;
}

/** The tree as lines from top to bottom, without what is folded. */
export function treeRows(root: TreeNode, folded: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = [];
  const visit = (node: TreeNode, level: number, position: number, size: number): void => {
    const isOpen = node.children.length > 0 && !folded.has(node.session_id);
    rows.push({ node, level, isOpen, position, size });
    if (!isOpen) return;
    node.children.forEach((child, at) => {
      visit(child, level + 1, at + 1, node.children.length);
    });
  };
  visit(root, 0, 1, 1);
  return rows;
}

/** Where an arrow key leads. `fold` and `unfold` change what is shown. */
export function treeKey(
  rows: readonly TreeRow[],
  at: number,
  key: string,
): { to?: number; fold?: string; unfold?: string } | null {
  const row = rows[at];
  if (!row) return null;
  const { node, level, isOpen } = row;
  switch (key) {
    case 'ArrowDown':
      return { to: Math.min(at + 1, rows.length - 1) };
    case 'ArrowUp':
      return { to: Math.max(at - 1, 0) };
    case 'Home':
      return { to: 0 };
    case 'End':
      return { to: rows.length - 1 };
    case 'ArrowRight':
      if (node.children.length === 0) return {};
      return isOpen ? { to: at + 1 } : { unfold: node.session_id };
    case 'ArrowLeft': {
      if (isOpen) return { fold: node.session_id };
      const parent = rows.slice(0, at).findLastIndex((each) => each.level < level);
      return parent < 0 ? {} : { to: parent };
    }
    default:
      return null;
  }
}
