import type { FeedScope, SessionStore } from '@amplifier/sessions';
import { sessionTree } from '../sessions/session-tree.js';

/** Which part of the feed a stream has. */
export interface StreamScope {
  /** The smallest part with an index that contains it; undefined: all sessions. */
  readonly of: FeedScope | undefined;
  covers(place: { session_id: string; root_id: string; parent_id?: string | null }): boolean;
}

export const ALL_SESSIONS: StreamScope = { of: undefined, covers: () => true };

export function oneSession(id: string): StreamScope {
  return { of: { session_id: id }, covers: ({ session_id }) => session_id === id };
}

export function oneTree(root: string): StreamScope {
  return { of: { root_id: root }, covers: ({ root_id }) => root_id === root };
}

/** A session with its descendants, also those that are created later. */
export async function branchBelow(store: SessionStore, top: string, root_id: string): Promise<StreamScope> {
  if (top === root_id) return oneTree(root_id);
  const members = new Set(await sessionTree(store, top));
  return {
    of: { root_id },
    covers: ({ session_id, parent_id }) => {
      if (members.has(session_id)) return true;
      if (parent_id == null || !members.has(parent_id)) return false;
      members.add(session_id);
      return true;
    },
  };
}
