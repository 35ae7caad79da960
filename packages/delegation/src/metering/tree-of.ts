import type { LaunchRecord } from '../plan/launch-record.js';
import { loadLaunch } from '../recovery/stored-outcome.js';
import type { Runtime } from '../runtime.js';
import { capsOf } from './limits.js';
import type { RunSlot } from './run-slots.js';
import { loadTree, type Tree } from './tree.js';

/** A session of the tree: its launch record, or what is known of it. */
type InTree = LaunchRecord | Pick<LaunchRecord, 'root_id'>;

/** A run slot in a tree that is kept for it. Must be released. */
export interface HeldSlot {
  slot: RunSlot;
  release(): void;
}

/** The tree a session belongs to: the one at work here, or what its logs tell. */
export function treeOf({ store, live }: Runtime, session: InTree): Promise<Tree> {
  const { root_id } = session;
  return live.tree(root_id, async () => {
    const isRoot = 'session_id' in session && session.session_id === root_id;
    return loadTree(store, root_id, capsOf(isRoot ? session : await loadLaunch(store, root_id)));
  });
}

/** A run slot for a session that a dead process left, before anything of the session is opened. */
export async function holdSlot(runtime: Runtime, session: InTree): Promise<HeldSlot> {
  const leave = runtime.live.hold(session.root_id);
  try {
    const { slots } = await treeOf(runtime, session);
    const slot = slots.tryAcquire() ?? (await slots.acquire());
    return {
      slot,
      release: () => {
        slot.release();
        leave();
      },
    };
  } catch (error) {
    leave();
    throw error;
  }
}
