import { join, relative, resolve } from 'node:path';
import { type Isolation, isWithin, type Overlay, realPathOf, type Sandbox } from '@amplifier/workspace';

/** How the paths an agent knows and the places on disk belong together. */
export interface AgentView {
  /** Where the agent believes it works. */
  cwd: string;
  /** Has its sandbox show the tree where the user's own lies. */
  overlays: readonly Overlay[];
  /** Where a path of the agent's really is. Symlinks inside its tree are not looked at. */
  real(path: string): Promise<string>;
  /** How the agent knows a place. */
  seen(path: string): string;
}

export interface ViewWishes {
  /** Where it really works. */
  cwd: string;
  /** The tree of its own that it works in, if it has one. */
  isolation: Isolation | null;
  sandbox: Sandbox;
  /** What must stay as it is: the home, and whatever the agent needs. */
  needed: readonly string[];
}

/**
 * An agent in a tree of its own sees it where the user's tree lies, where the sandbox can show that: then a path that somebody
 * named leads to the tree, and a session of the agent's finds its folder again. Elsewhere it sees things as they are.
 */
export async function agentView({ cwd, isolation, sandbox, needed }: ViewWishes): Promise<AgentView> {
  const overlays = isolation && sandbox.showsOverlays ? await isolation.overlays() : [];
  const [tree] = overlays;
  const places = overlays.filter(({ from }) => from === tree?.from).map(({ at }) => at);
  const isCovered = (path: string) => places.some((at) => isWithin(at, path));
  if (!tree || [...needed, tree.from].some(isCovered))
    return { cwd, overlays: [], real: async (path) => resolve(cwd, path), seen: (path) => path };
  const moved = (path: string, from: string, to: string) =>
    isWithin(from, path) ? join(to, relative(from, path)) : path;
  const seen = (path: string) => moved(path, tree.from, tree.at);
  return {
    cwd: seen(cwd),
    overlays,
    real: async (path) => {
      const named = resolve(seen(cwd), path);
      // A symlink elsewhere may lead into the tree.
      const place = isCovered(named) ? named : await realPathOf(named);
      const at = places.find((each) => isWithin(each, place));
      return at === undefined ? place : moved(place, at, tree.from);
    },
    seen,
  };
}
