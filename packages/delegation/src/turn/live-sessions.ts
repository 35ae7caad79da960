import { CREATED_AT_ONCE } from '../defaults.js';
import { RunSlots } from '../metering/run-slots.js';
import type { Tree } from '../metering/tree.js';
import type { LaunchRecord } from '../plan/launch-record.js';
import type { Parent } from './parent.js';
import type { StopReason, StopSwitch } from './stop-switch.js';

/** Where a session hangs. */
type Place = Pick<LaunchRecord, 'session_id' | 'parent_id' | 'root_id'>;

const NONE: ReadonlySet<string> = new Set();

/** The sessions whose turns run in this process, and their trees. */
export class LiveSessions {
  /** See `CREATED_AT_ONCE`. */
  readonly creating = new RunSlots(CREATED_AT_ONCE);
  #stops = new Map<string, StopSwitch>();
  #parents = new Map<string, string | null>();
  /** How many turns of each tree run here. */
  #turns = new Map<string, number>();
  #trees = new Map<string, { tree: Promise<Tree>; isLoaded: boolean }>();
  #running = new Map<string, Parent>();
  /** Children that run in the background, by their parents that run here. */
  #background = new Map<string, Set<string>>();

  /** A turn begins. The returned function says that it is over. */
  enter({ session_id, parent_id, root_id }: Place, stop: StopSwitch): () => void {
    this.#stops.set(session_id, stop);
    this.#parents.set(session_id, parent_id);
    const leave = this.hold(root_id);
    return () => {
      if (this.#stops.get(session_id) === stop) {
        this.#stops.delete(session_id);
        this.#parents.delete(session_id);
      }
      leave();
    };
  }

  /** A turn of this tree is about to begin. The returned function says that it has begun, or will not. */
  hold(root_id: string): () => void {
    this.#turns.set(root_id, (this.#turns.get(root_id) ?? 0) + 1);
    return () => {
      const left = (this.#turns.get(root_id) ?? 1) - 1;
      if (left > 0) this.#turns.set(root_id, left);
      else this.#turns.delete(root_id);
      this.forgetTree(root_id);
    };
  }

  /** Does nothing run here? */
  get isIdle(): boolean {
    return this.#turns.size === 0;
  }

  /** A tree that begins here. */
  addTree(tree: Tree): Tree {
    this.#trees.set(tree.root_id, { tree: Promise.resolve(tree), isLoaded: true });
    return tree;
  }

  /** The tree at work here; otherwise it is loaded, once for all concurrent callers. */
  tree(root_id: string, load: () => Promise<Tree>): Promise<Tree> {
    const known = this.#trees.get(root_id);
    if (known) return known.tree;
    const entry = { tree: load(), isLoaded: false };
    this.#trees.set(root_id, entry);
    entry.tree.then(
      () => {
        entry.isLoaded = true;
      },
      () => this.#trees.delete(root_id),
    );
    return entry.tree;
  }

  /** A tree of which nothing runs is loaded from the record when it is needed again. */
  forgetTree(root_id: string): void {
    if (!this.#turns.has(root_id) && this.#trees.get(root_id)?.isLoaded) this.#trees.delete(root_id);
  }

  /** The session can delegate from now on. */
  addParent(parent: Parent): void {
    this.#running.set(parent.session_id, parent);
  }

  removeParent(parent: Parent): void {
    if (this.#running.get(parent.session_id) !== parent) return;
    this.#running.delete(parent.session_id);
    this.#background.delete(parent.session_id);
  }

  /** A parent has put a child in the background. Of no interest where the parent does not run. */
  addBackground(parent_id: string, session_id: string): void {
    if (this.#running.has(parent_id))
      this.setBackground(parent_id, [...this.background(parent_id), session_id]);
  }

  /** The children in the background that were at work when they were last looked at. */
  background(parent_id: string): ReadonlySet<string> {
    return this.#background.get(parent_id) ?? NONE;
  }

  setBackground(parent_id: string, children: readonly string[]): void {
    if (children.length > 0) this.#background.set(parent_id, new Set(children));
    else this.#background.delete(parent_id);
  }

  has(session_id: string): boolean {
    return this.#stops.has(session_id);
  }

  /** A session that runs here, as a parent of delegations. */
  parent(session_id: string | null): Parent | null {
    return session_id === null ? null : (this.#running.get(session_id) ?? null);
  }

  /** True when the session runs here and was told. */
  stop(session_id: string, reason: StopReason, level: 'graceful' | 'immediate'): boolean {
    const stop = this.#stops.get(session_id);
    stop?.stop(reason, level);
    return stop !== undefined;
  }

  /** Stops everything that runs here. */
  stopAll(reason: StopReason, level: 'graceful' | 'immediate'): void {
    for (const stop of [...this.#stops.values()]) stop.stop(reason, level);
  }

  /** Stops the session and, with `subtree`, everything below it that runs here. Returns those that were told. */
  stopTree(
    session_id: string,
    reason: StopReason,
    level: 'graceful' | 'immediate',
    subtree: boolean,
  ): string[] {
    const told = this.within(session_id).filter((id) => subtree || id === session_id);
    for (const id of told) this.stop(id, reason, level);
    return told;
  }

  /** What runs here of the session and those below it, itself first. */
  within(session_id: string): string[] {
    const below = [...this.#stops.keys()].filter((id) => this.#isBelow(id, session_id));
    return this.has(session_id) ? [session_id, ...below] : below;
  }

  #isBelow(session_id: string, ancestor: string): boolean {
    let at = this.#parents.get(session_id) ?? null;
    while (at !== null && at !== ancestor) at = this.#parents.get(at) ?? null;
    return at === ancestor;
  }
}
