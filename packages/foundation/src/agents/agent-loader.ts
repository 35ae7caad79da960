import { dirname } from 'node:path';
import { type Diagnostic, errorInfo, type JsonObject } from '@amplifier/core';
import { absoluteSources } from '../documents/absolute-sources.js';
import { mapBounded } from '../documents/map-bounded.js';
import { formatPlace } from '../errors.js';
import { agentFragment } from './agent-fragment.js';
import type { AgentResolution, AgentResolver, ListedAgent } from './agent-resolver.js';
import { type AgentFile, agentFileReader, type ReadAgentFile } from './read-agent-file.js';

/** An agent with everything known of where it came from. */
export interface LoadedAgent extends AgentResolution, AgentFile {
  /** The agent as an overlay for its parent's plan. A new object each time. */
  toMountPlanFragment(): JsonObject;
}

export interface AgentListing {
  /** Under the name that finds it, in order of search path, then of name. */
  agents: LoadedAgent[];
  /** Files that could not be read, and names that two files of one folder claim. */
  problems: Diagnostic[];
}

export interface AgentLoaderOptions {
  resolver: AgentResolver;
  /** Default: one of its own. */
  readAgentFile?: ReadAgentFile;
}

/** Reads agents by name. */
export class AgentLoader {
  readonly resolver: AgentResolver;
  readonly #read: ReadAgentFile;

  constructor({ resolver, readAgentFile = agentFileReader() }: AgentLoaderOptions) {
    this.resolver = resolver;
    this.#read = readAgentFile;
  }

  /** Null when no file has the name. Throws when the file cannot be used. */
  async findAgent(name: string): Promise<LoadedAgent | null> {
    const found = await this.resolver.find(name);
    return found && this.#load(found);
  }

  /** Throws when no file has the name, or the file cannot be used; the error says which, where and what to do. */
  async loadAgent(name: string): Promise<LoadedAgent> {
    return this.#load(await this.resolver.resolve(name));
  }

  /** Every agent there is. One bad file is a problem in the list, not the end of it. */
  async listAgents(): Promise<AgentListing> {
    const listed = await this.resolver.list();
    const loaded = await mapBounded(listed, (found) => this.#tryLoad(found));
    const agents = loaded.flatMap((result) => ('agent' in result ? [result] : []));
    const broken = loaded.flatMap((result) => ('agent' in result ? result.warnings : [result]));
    return { agents, problems: [...saidOnce(broken), ...sharedNames(agents)] };
  }

  async #tryLoad(found: ListedAgent): Promise<LoadedAgent | Diagnostic> {
    try {
      return await this.#load(found);
    } catch (error) {
      const { code = 'FILE_UNREADABLE', message } = errorInfo(error);
      return { level: 'error', code, message, error };
    }
  }

  async #load(found: AgentResolution): Promise<LoadedAgent> {
    const { agent, digest, warnings, place } = await this.#read(found.path);
    return {
      ...found,
      agent,
      digest,
      warnings,
      place,
      toMountPlanFragment: () => absoluteSources(agentFragment(agent), dirname(found.path), null),
    };
  }
}

/** What is so of many files of another tool's is said once, of the first, with how many more there are. */
function saidOnce(problems: readonly Diagnostic[]): Diagnostic[] {
  const counts = new Map<string, { first: Diagnostic; others: number }>();
  for (const problem of problems) {
    const known = counts.get(kindOf(problem));
    if (known) known.others += 1;
    else counts.set(kindOf(problem), { first: problem, others: 0 });
  }
  return [...counts.values()].map(({ first, others }) =>
    others === 0 ? first : { ...first, message: `${first.message} (and ${others} more files)` },
  );
}

/** The sentence without its place, where many files may have it. */
function kindOf({ code, message }: Diagnostic): string {
  return code === 'NOT_CARRIED_OVER' ? message.replace(/^.*?(:\d+)?: /, '') : message;
}

/** Two files of one origin that claim one name: only the file's own name finds it, so one of them misleads. */
function sharedNames(agents: readonly LoadedAgent[]): Diagnostic[] {
  const claimed = new Map<string, LoadedAgent>();
  return agents.flatMap((found): Diagnostic[] => {
    const key = `${found.origin}\n${found.agent.name}`;
    const first = claimed.get(key);
    if (!first) {
      claimed.set(key, found);
      return [];
    }
    const message = `${formatPlace(found.place)}: This file and ${formatPlace(first.place)} both name their agent '${found.agent.name}'. They are found as '${first.name}' and '${found.name}'; give one of them another name.`;
    return [{ level: 'warning', code: 'DUPLICATE_AGENT_NAME', message }];
  });
}
