import { z } from 'zod';
import { TreeEntry } from './tree-entry.js';

/** One path that differs between two trees. */
export const Change = z.object({
  /** Relative to the tree's root, in the form of `encodeName`. */
  path: z.string(),
  /** Null: it was not there. */
  before: TreeEntry.nullable(),
  /** Null: it is gone. */
  after: TreeEntry.nullable(),
});
export type Change = z.infer<typeof Change>;

export type ChangeKind = 'added' | 'deleted' | 'modified';

export function kindOfChange({ before, after }: Change): ChangeKind {
  if (before === null) return 'added';
  return after === null ? 'deleted' : 'modified';
}

/** The same change the other way round. */
export function invertChange({ path, before, after }: Change): Change {
  return { path, before: after, after: before };
}
