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
}

/** The type of a capability: its declared one, or unknown for names nobody declared. */
export type CapabilityOf<Name extends string> = Name extends keyof Capabilities
  ? Capabilities[Name]
  : unknown;
