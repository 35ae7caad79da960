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
  /** Takes what came in for the session since the last call. An orchestrator asks between steps and adds what it gets. */
  'session.steer': () => Promise<Message[]>;
  /** The children that still run, in words for the model. A context manager asks on each request and never stores it. */
  'session.live_children': () => Promise<string | null>;
}

/** The type of a capability: its declared one, or unknown for names nobody declared. */
export type CapabilityOf<Name extends string> = Name extends keyof Capabilities
  ? Capabilities[Name]
  : unknown;
