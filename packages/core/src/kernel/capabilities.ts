import type { Message } from './messages.js';

/**
 * What one module offers to others, by name. Packages add the names they define, so that both sides agree on the type:
 *
 * ```ts
 * declare module '@amplifier/core' {
 *   interface Capabilities { 'session.working_dir': string }
 * }
 * ```
 */
export interface Capabilities {
  /** The folder a session works in. Must be registered before `initialize()`. */
  'session.working_dir': string;
  /** The models that a turn may run on, best first, and the names their providers are mounted under, in order of priority. */
  'session.candidates': readonly { mounted_as: string; provider: string; model: string }[];
  /** The session at the top of the tree that this one belongs to. */
  'session.root_id': string;
  /** Takes what came in for the session since the last call; null if nothing did. An orchestrator asks between steps and adds it. */
  'session.steer': () => Promise<Message[]> | null;
  /** The children that still run, in words for the model. A context manager asks on each request and never stores it. */
  'session.live_children': () => Promise<string | null> | null;
  /** A folder for the rest of answers that are too long to be kept; it is removed with the session. */
  'session.answers_folder': string;
}

/** The type of a capability: its declared one, or unknown for names nobody declared. */
export type CapabilityOf<Name extends string> = Name extends keyof Capabilities
  ? Capabilities[Name]
  : unknown;
