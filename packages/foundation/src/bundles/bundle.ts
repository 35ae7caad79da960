import type { Diagnostic, JsonObject, ModuleSpec, MountPlan } from '@amplifier/core';

/** Which file a composed bundle was made of, and which state of it. */
export interface BundlePart {
  name: string;
  source: string;
  file: string;
  revision: string | null;
  stale: boolean;
}

/** A bundle with all it includes, ready to become a session. */
export interface Bundle {
  name: string;
  version: string | null;
  description: string;
  session: JsonObject;
  providers: ModuleSpec[];
  tools: ModuleSpec[];
  hooks: ModuleSpec[];
  spawn: JsonObject;
  /** The roster: an overlay for each agent, by the name it is delegated to. */
  agents: Record<string, JsonObject>;
  /** Files that belong to the system prompt, by `bundle:key`. */
  context: Record<string, string>;
  instruction: string | null;
  /** Where `name:path` starts, for every bundle that took part. */
  namespaces: Record<string, string>;
  /** Everything it was made of, in the order it was laid on. */
  parts: BundlePart[];
  warnings: Diagnostic[];
}

/** The bundle as the kernel takes it. Sections that hold nothing are left out. */
export function bundleToMountPlan(bundle: Bundle): MountPlan {
  const { session, providers, tools, hooks, agents, spawn } = structuredClone({ ...bundle, warnings: [] });
  const sections = { session, providers, tools, hooks, agents, spawn };
  const filled = Object.entries(sections).filter(([, section]) => Object.keys(section).length > 0);
  return { session, ...Object.fromEntries(filled) } as unknown as MountPlan;
}
