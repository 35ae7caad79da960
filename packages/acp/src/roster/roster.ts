import { closestNames } from '@amplifier/core';
import { z } from 'zod';
import { AcpError } from '../acp-error.js';
import { BUILTIN_AGENTS } from './builtin-agents.js';
import { AgentDescriptor, Effort } from './descriptor.js';

/** What a user may say about an agent: any member of a descriptor, on top of a built-in or of `base`. */
const AgentSettings = AgentDescriptor.omit({ id: true })
  .partial()
  .extend({
    enabled: z.boolean().optional(),
    /** A built-in to start from, for an agent of a new name. */
    base: z.string().optional(),
    /** Added to the end of the command. */
    extra_args: z.array(z.string()).optional(),
    /** The names the other members of the section `delegation` go by. */
    effort: Effort.optional(),
    timeout_s: z.number().positive().optional(),
  })
  .strict();
type AgentSettings = z.infer<typeof AgentSettings>;

export interface RosterConfig {
  agents?: Record<string, unknown>;
  /** Only these, when given. */
  enabled_agents?: readonly string[] | null;
}

/** The external agents that may be used, by id. Immutable. */
export class Roster {
  readonly #agents: ReadonlyMap<string, AgentDescriptor>;

  constructor(agents: Iterable<AgentDescriptor>) {
    this.#agents = new Map([...agents].map((agent) => [agent.id, agent]));
  }

  get ids(): string[] {
    return [...this.#agents.keys()].sort();
  }

  get agents(): AgentDescriptor[] {
    return this.ids.flatMap((id) => this.#agents.get(id) ?? []);
  }

  has(id: string): boolean {
    return this.#agents.has(id);
  }

  /** Throws `UNKNOWN_TARGET` with the nearest names. */
  get(id: string): AgentDescriptor {
    const agent = this.#agents.get(id);
    if (agent) return agent;
    const near = closestNames(id, this.ids);
    const hint =
      near.length > 0
        ? `Did you mean '${near.join("' or '")}'?`
        : `There are: ${this.ids.join(', ') || 'none'}.`;
    throw new AcpError(`No external agent is called '${id}'. ${hint}`, {
      code: 'UNKNOWN_TARGET',
      origin: id,
    });
  }
}

/** Built-ins, then the user's settings over them, then the allowlist. Throws `ROSTER_INVALID`, naming the agent. */
export function buildRoster({ agents = {}, enabled_agents = null }: RosterConfig = {}): Roster {
  const builtins = builtinAgents();
  const found = new Map(builtins);
  for (const [id, value] of Object.entries(agents)) {
    const parsed = AgentSettings.safeParse(value);
    if (!parsed.success) throw invalid(id, parsed.error);
    const { enabled = true, ...settings } = onlyGiven(parsed.data, value);
    if (enabled) found.set(id, described(id, settings, builtins));
    else found.delete(id);
  }
  const wanted = enabled_agents === null ? null : new Set(enabled_agents);
  return new Roster([...found.values()].filter(({ id }) => wanted === null || wanted.has(id)));
}

let parsedBuiltins: ReadonlyMap<string, AgentDescriptor> | undefined;

/** Parsed when they are first asked for, and shared: a descriptor never changes. */
function builtinAgents(): ReadonlyMap<string, AgentDescriptor> {
  parsedBuiltins ??= new Map(BUILTIN_AGENTS.map((entry) => [entry.id, AgentDescriptor.parse(entry)]));
  return parsedBuiltins;
}

/** Without the defaults of a descriptor, which would hide what the built-in says. */
function onlyGiven(settings: AgentSettings, given: unknown): AgentSettings {
  const named = new Set(Object.keys(given as object));
  return Object.fromEntries(Object.entries(settings).filter(([name]) => named.has(name)));
}

function described(
  id: string,
  { base, extra_args = [], effort, timeout_s, ...settings }: AgentSettings,
  builtins: ReadonlyMap<string, AgentDescriptor>,
): AgentDescriptor {
  const source = builtins.get(base ?? id);
  if (base !== undefined && !source)
    throw problem(id, `'base' must be a built-in agent, and '${base}' is none.`);
  if (!source && !settings.command)
    throw problem(id, "a new agent needs a 'command', or a 'base' to start from.");
  // Whoever brings another program brings other habits, too.
  const inherited = settings.command && base === undefined && source ? sameUser(source) : source;
  const merged = {
    display_name: id,
    ...inherited,
    ...(effort === undefined ? {} : { default_effort: effort }),
    ...(timeout_s === undefined ? {} : { timeout: timeout_s }),
    ...settings,
    env: { ...inherited?.env, ...settings.env },
    id,
  };
  const command = [...((merged.command as string[] | undefined) ?? []), ...extra_args];
  const parsed = AgentDescriptor.safeParse({ ...merged, command });
  if (!parsed.success) throw invalid(id, parsed.error);
  return parsed.data;
}

function sameUser({
  display_name,
  provider,
  env,
  env_passthrough,
  state_paths,
  levers,
  confined_lever,
  login,
}: AgentDescriptor) {
  return { display_name, provider, env, env_passthrough, state_paths, levers, confined_lever, login };
}

function invalid(id: string, error: z.ZodError): AcpError {
  const [issue] = error.issues;
  return problem(id, `${issue?.path.join('.') || 'the entry'}: ${issue?.message}`);
}

function problem(id: string, what: string): AcpError {
  return new AcpError(`The settings of the external agent '${id}' cannot be used: ${what}`, {
    code: 'ROSTER_INVALID',
    origin: id,
  });
}
