import type { Usage } from '@amplifier/core';
import type { SessionStore } from '@amplifier/sessions';
import { Budget } from './budget.js';
import type { Limits, TurnLimits } from './limits.js';
import { RunSlots } from './run-slots.js';

/** What all sessions below one root share in this process: the budget, the run slots, the count of children. */
export class Tree {
  readonly root_id: string;
  readonly limits: Limits;
  readonly budget: Budget;
  readonly slots: RunSlots;
  readonly #above: Tree | null;
  #children: number;

  constructor(root_id: string, limits: Limits, children = 0, above: Tree | null = null) {
    this.root_id = root_id;
    this.limits = limits;
    this.budget = new Budget(limits, above?.budget ?? null);
    this.slots = new RunSlots(limits.max_concurrency);
    this.#above = above;
    this.#children = children;
  }

  get children(): number {
    return this.#children;
  }

  /** Counts a child in, unless the tree, or the caller's own tighter limit, has had enough of them. */
  admitChild(max_children: number): boolean {
    if (this.#children >= Math.min(max_children, this.limits.max_children)) return false;
    if (this.#above && !this.#above.admitChild(this.#above.limits.max_children)) return false;
    this.#children++;
    return true;
  }

  /** Takes a child out again that was not created. */
  withdrawChild(): void {
    this.#children--;
    this.#above?.withdrawChild();
  }

  /**
   * The tree as one turn may use it: with slots and counts of its own, under all that holds for the whole tree. The same tree
   * when the limits are no tighter. `spent` is what the turn had consumed before another process took it over; children that the
   * tree has had since the turn began count.
   */
  forTurn({ limits, children_before }: TurnLimits, spent: Usage): Tree {
    if (SHARED.every((limit) => limits[limit] === this.limits[limit])) return this;
    const narrowed = new Tree(this.root_id, limits, this.#children - children_before, this);
    narrowed.budget.restore({ tokens: spent.total_tokens, cost_usd: spent.cost_usd });
    return narrowed;
  }
}

/** What sessions of a tree have together. Depth, turns and time are looked at in each session by itself. */
const SHARED = ['max_children', 'max_concurrency', 'max_tokens', 'max_cost_usd', 'allow_unpriced'] as const;

/** The tree as its logs tell it: how many children it has had and what they spent. */
export async function loadTree(store: SessionStore, root_id: string, limits: Limits): Promise<Tree> {
  let sessions = 0;
  const spends: { tokens: number; cost_usd: string | null }[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list({ root_id, limit: 1000, cursor });
    sessions += page.sessions.length;
    if (limits.max_tokens !== null || limits.max_cost_usd !== null) {
      for (const { session_id } of page.sessions) {
        const { usage } = await store.metadata(session_id);
        spends.push({ tokens: usage.total_tokens, cost_usd: usage.cost_usd });
      }
    }
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  const tree = new Tree(root_id, limits, Math.max(0, sessions - 1));
  for (const spend of spends) tree.budget.restore(spend);
  return tree;
}
