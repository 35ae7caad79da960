import type { Grant } from '../grant/grant.js';
import type { Overlay } from './overlay.js';

/** What to confine, and to what. */
export interface Confinement {
  /** The program and its arguments; no shell is added. */
  command: readonly [string, ...string[]];
  /**
   * Absolute and real. Must be readable under the grant, and shown: a session may name any folder here, so it is not shown for being
   * named. Null: a folder that belongs to no project.
   */
  cwd: string | null;
  /** All of the command's environment. */
  env: Readonly<Record<string, string>>;
  /** Paths must be real (`realGrant`). */
  grant: Grant;
  /** Readable paths that must be seen although they lie in a folder that the sandbox replaces, such as /tmp. */
  visible?: readonly string[] | undefined;
  /** Does it run beside other work for as long as that takes, as a server does? Then others may put files there meanwhile. */
  staysOn?: boolean | undefined;
  /** What the command sees at another place than it lies. Only for a sandbox that `showsOverlays`. */
  overlays?: readonly Overlay[] | undefined;
}

export interface ConfinedCommand {
  /** What to start instead. */
  argv: readonly [string, ...string[]];
  /** What it is started with; it gives the command the rest of its environment. */
  env: Readonly<Record<string, string>>;
  /** Is this one of the sandbox's own processes, which must not be asked to end before the command has? */
  isGuard(name: string): boolean;
  /** What the grant asks for and this sandbox does not enforce, one sentence each. Empty when all of it holds. */
  unenforced: readonly string[];
  /**
   * Must be called when the command has ended, or was not started after all. Resolves with what the command had put where it would
   * act later and was renamed, one sentence each. Never rejects.
   */
  release(): Promise<readonly string[]>;
}

/** What holds for a confined command on this machine, whatever the command tries. */
export interface SandboxGuarantees {
  /** It writes only inside the write scope. */
  writes_confined: boolean;
  /** It reads only inside the read scope. */
  reads_confined: boolean;
  /** Without network in the grant it reaches nobody. */
  network_confined: boolean;
  /** Nothing of it outlives the command, a kill, or our own sudden death. */
  processes_contained: boolean;
  /** It reaches no key of the kernel, no memory of another process and no mount, and only calls of the kernel that programs need. */
  calls_filtered: boolean;
}

/** Confines commands by means of the operating system. */
export interface Sandbox {
  readonly name: 'bubblewrap' | 'none';
  readonly guarantees: SandboxGuarantees;
  /** Can it show a folder at another place than it lies? */
  readonly showsOverlays: boolean;
  /** Why it is this sandbox and not a better one, in one sentence. */
  readonly because: string;
  /** Must not start anything itself. */
  confine(confinement: Confinement): Promise<ConfinedCommand>;
}
