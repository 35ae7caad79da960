import { isPlainObject, type JsonObject } from '../data/json.js';

/** One module to mount. Members beside these belong to the app and are kept. */
export interface ModuleSpec extends JsonObject {
  module: string;
  /** Where to find it when it is not built in. */
  source?: string;
  config?: JsonObject;
  /** Tells two entries of one module apart. */
  id?: string;
  instance_id?: string;
}

/** A module may be named by its id alone. */
export type ModuleEntry = string | ModuleSpec;

export interface SessionSection extends JsonObject {
  orchestrator: ModuleEntry;
  /** Used when `orchestrator` is a string. */
  orchestrator_source?: string;
  context: ModuleEntry;
  /** Used when `context` is a string. */
  context_source?: string;
  /** Tokens; passing it is only warned of. */
  injection_budget_per_turn?: number;
  /** Characters; a larger injection is refused. */
  injection_size_limit?: number;
  /** Travels on session:start, session:resume and session:fork. */
  metadata?: JsonObject;
  /** Emit the whole plan, without its secrets, as session:config. */
  raw?: boolean;
}

/** All a session is made of. `agents` and `spawn` are the app's; the kernel carries them and looks away. */
export interface MountPlan extends JsonObject {
  session: SessionSection;
  /** Holds `config` for an orchestrator that is named by a string. */
  orchestrator?: { config?: JsonObject };
  context?: { config?: JsonObject };
  providers?: ModuleEntry[];
  tools?: ModuleEntry[];
  hooks?: ModuleEntry[];
  agents?: unknown;
  spawn?: unknown;
}

export const KNOWN_SECTIONS = [
  'session',
  'orchestrator',
  'context',
  'providers',
  'tools',
  'hooks',
  'agents',
  'spawn',
] as const;

export const MODULE_LISTS = ['providers', 'tools', 'hooks'] as const;

/** The entry in its long form; null for what is no module entry at all. */
export function moduleSpec(entry: unknown): ModuleSpec | null {
  if (typeof entry === 'string') return { module: entry };
  if (isPlainObject(entry) && typeof entry.module === 'string') return entry as ModuleSpec;
  return null;
}

const SOURCE_OF = { orchestrator: 'orchestrator_source', context: 'context_source' } as const;

/** The orchestrator or context manager of a plan, with source and config gathered from where the short form keeps them. */
export function sessionModuleSpec(plan: MountPlan, part: 'orchestrator' | 'context'): ModuleSpec {
  const entry = plan.session[part];
  if (typeof entry !== 'string') return entry;
  const source = plan.session[SOURCE_OF[part]];
  const config = plan[part]?.config;
  return {
    module: entry,
    ...(source === undefined ? {} : { source }),
    ...(config === undefined ? {} : { config }),
  };
}

/** What tells two entries of one list apart: the id where there is one, else the module. */
export function moduleIdentity(spec: ModuleSpec): string {
  return spec.id ?? spec.module;
}

/** The name a provider instance is mounted under, when the plan gives one. */
export function instanceLabel(spec: ModuleSpec): string | undefined {
  return spec.instance_id ?? spec.id;
}
