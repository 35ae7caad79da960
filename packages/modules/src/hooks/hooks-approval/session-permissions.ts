import type { PermissionRule } from './permission-rule.js';

/** The permission rules of a session, and where new ones are kept. Supplied by the app; without one there are those of the plan. */
export interface SessionPermissions {
  /** All that hold now, those given in this conversation included. Must reject when they cannot be read: then nothing is allowed. */
  rules(): Promise<readonly PermissionRule[]>;
  /** Holds until the conversation ends, for every session in it. */
  allowHere(rule: string): void;
  /** What was allowed to the letter in this conversation. */
  readonly exact: Set<string>;
  /** The file a rule can be written to, in words for a person; null where there is none. */
  readonly file: string | null;
  /** Writes a rule that allows to that file. */
  write(rule: string): Promise<void>;
}

declare module '@amplifier/core' {
  interface Capabilities {
    'session.permissions': SessionPermissions;
  }
}
