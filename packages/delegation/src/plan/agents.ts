import { AmplifierError, closestNames, isPlainObject, type JsonObject } from '@amplifier/core';
import type { AgentLoader } from '@amplifier/foundation';
import { DelegationError } from '../request/delegation-error.js';
import type { Parent } from '../turn/parent.js';

/** An agent that can be launched: its overlay for the parent's plan, and where it came from. */
export interface ResolvedAgent {
  name: string;
  origin: string;
  /** Of its file; null for an agent that has none. */
  digest: string | null;
  overlay: JsonObject;
  /** Who runs it. Default: in this process, on a model. */
  engine?: string | undefined;
}

/** Where an entry point finds its agents. */
export interface AgentCatalog {
  /** Null for a name nobody has. Throws for an agent that is there and cannot be used. */
  find(name: string): Promise<ResolvedAgent | null>;
  /** Every name, for suggestions. */
  names(): Promise<string[]>;
}

/** An entry point without agent files: only the agents of the plan. */
export const NO_AGENTS: AgentCatalog = { find: async () => null, names: async () => [] };

/** Agent files, through the resolver and its search order. */
export function fileAgents(loader: AgentLoader): AgentCatalog {
  return {
    async find(name) {
      const loaded = await loader.findAgent(name);
      if (!loaded) return null;
      const overlay = loaded.toMountPlanFragment();
      const engine = typeof overlay.engine === 'string' ? overlay.engine : undefined;
      return { name, origin: loaded.origin, digest: loaded.digest, overlay, engine };
    },
    names: async () => (await loader.resolver.list()).map((agent) => agent.name),
  };
}

/** What a plan says of one agent. */
function rosterEntry(agents: unknown, name: string): JsonObject | undefined {
  const overlay = isPlainObject(agents) && Object.hasOwn(agents, name) ? agents[name] : undefined;
  return isPlainObject(overlay) ? overlay : undefined;
}

/** The agents a plan carries, by name. */
export function rosterOf(agents: unknown): Map<string, JsonObject> {
  const roster = new Map<string, JsonObject>();
  if (!isPlainObject(agents)) return roster;
  for (const name of Object.keys(agents)) {
    const overlay = agents[name];
    if (isPlainObject(overlay)) roster.set(name, overlay);
  }
  return roster;
}

/** `amplifier:x` always means a Markdown agent, whatever else is called x. */
const MARKDOWN_PREFIX = /^amplifier:/;

/**
 * Finds the agent a caller names: itself, one of the parent's roster, or one of the entry point's catalog. What the roster says of
 * an agent (such as the preferences that routing wrote there) goes before its file.
 */
export async function resolveAgent(
  name: string,
  parent: Parent,
  catalog: AgentCatalog,
): Promise<ResolvedAgent> {
  if (name === 'self') {
    if (hasNoAgents(parent))
      throw new DelegationError(
        'This session may not delegate, not even to itself: it has no agents (agents: none). Do the work here.',
        { code: 'SELF_DELEGATION_DISABLED' },
      );
    return {
      name: 'self',
      origin: `session ${parent.session_id}`,
      digest: null,
      overlay: twinOverlay(parent),
    };
  }
  const wanted = name.replace(MARKDOWN_PREFIX, '');
  const rostered = rosterEntry(parent.plan.agents, wanted);
  if (!rostered && parent.agent_access !== 'all') throw await unknownAgent(wanted, parent, catalog);
  const filed = await catalog.find(wanted).catch((cause: unknown) => {
    if (!AmplifierError.is(cause)) throw cause;
    throw new DelegationError(cause.message, { code: 'AGENT_INVALID', origin: wanted, cause });
  });
  if (!rostered && !filed) throw await unknownAgent(wanted, parent, catalog);
  const engine = typeof rostered?.engine === 'string' ? rostered.engine : filed?.engine;
  return {
    name: wanted,
    origin: filed?.origin ?? 'plan',
    digest: filed?.digest ?? null,
    overlay: { ...filed?.overlay, ...rostered },
    engine,
  };
}

/** `agents: none` means no agents at all (seed 000: "Disable agents"), and a copy of oneself is one. */
function hasNoAgents({ agent_access, plan }: Parent): boolean {
  return agent_access === 'roster' && rosterOf(plan.agents).size === 0;
}

/** A twin gets the very prompt of the session it was made by. */
function twinOverlay({ instruction }: Parent): ResolvedAgent['overlay'] {
  return instruction === null ? {} : { instruction };
}

async function unknownAgent(name: string, parent: Parent, catalog: AgentCatalog): Promise<DelegationError> {
  const rostered = [...rosterOf(parent.plan.agents).keys()];
  const known =
    parent.agent_access === 'all' ? [...new Set([...rostered, ...(await catalog.names())])] : rostered;
  const guesses = closestNames(name, known);
  const hint =
    guesses.length > 0
      ? `Did you mean ${guesses.map((guess) => `'${guess}'`).join(' or ')}?`
      : `Available: ${known.sort().join(', ') || 'none'}.`;
  return new DelegationError(`Agent '${name}' not found. ${hint}`, { code: 'AGENT_NOT_FOUND', origin: name });
}
