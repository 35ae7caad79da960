import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { closestNames } from '@amplifier/core';
import { confinedPath } from '../documents/confined-path.js';
import { FileMemo, type Places } from '../documents/file-memo.js';
import { fileError } from '../documents/read-text-file.js';
import { FoundationError } from '../errors.js';
import { type AgentName, parseAgentName } from './agent-name.js';
import {
  AGENT_FILES,
  type AgentSearchPath,
  type FoundAgentFile,
  listAgentFiles,
} from './list-agent-files.js';

/** One file for one name, set before all search paths, as an environment variable does. */
export type AgentOverride = (name: string) => { path: string; origin: string } | null;

export interface AgentResolverOptions {
  /** Highest first. The first one that has the name wins whole: files are never merged. */
  searchPaths: readonly AgentSearchPath[];
  override?: AgentOverride;
  /** Names the override has, for the list: one of them may have no file elsewhere. */
  overrideNames?: readonly string[];
}

export interface AgentResolution {
  /** As it was asked for. */
  name: string;
  path: string;
  origin: string;
  /** Files of the same name further down, which this one hides. */
  hides: { path: string; origin: string }[];
}

/** A name as a roster shows it, with what it hides. */
export interface ListedAgent extends AgentResolution {
  namespace: string | null;
}

/** Finds agent files by name. Knows folders and an order, and nothing of the app that gave them. */
export class AgentResolver {
  readonly searchPaths: readonly AgentSearchPath[];
  readonly #override: AgentOverride;
  readonly #overrideNames: readonly string[];
  readonly #found = new FileMemo<AgentResolution | null>();

  constructor({ searchPaths, override = () => null, overrideNames = [] }: AgentResolverOptions) {
    this.searchPaths = searchPaths;
    this.#override = override;
    this.#overrideNames = overrideNames;
  }

  /**
   * Where the name leads, or null. Throws for a name that cannot be one and for a file that cannot be looked at. Looks through the
   * folders again when one of them has changed ("a delegation" of the bench `acp`).
   */
  find(name: string): Promise<AgentResolution | null> {
    return this.#found.get(name, (places) => this.#find(name, places));
  }

  async #find(name: string, places: Places): Promise<AgentResolution | null> {
    const parsed = parseAgentName(name);
    const overriding = this.#override(name);
    if (overriding) places.add(overriding.path);
    if (overriding) await mustExist(overriding.path, overriding.origin, name);
    const found = overriding ? [overriding] : [];
    for (const searchPath of this.searchPaths) {
      const path = await fileIn(searchPath, parsed, places).catch((error) => {
        if (found.length === 0) throw error;
        return null; // What is wrong further down is hidden with the rest.
      });
      if (path) found.push({ path, origin: searchPath.origin });
    }
    const [first, ...hides] = found;
    return first ? { name, ...first, hides } : null;
  }

  /** Like `find`, but a name that leads nowhere is an error with the nearest names there are. */
  async resolve(name: string): Promise<AgentResolution> {
    const found = await this.find(name);
    if (found) return found;
    const known = (await this.list()).map((agent) => agent.name);
    const guesses = closestNames(name, known);
    const hint =
      guesses.length > 0
        ? `Did you mean ${guesses.map((guess) => `'${guess}'`).join(' or ')}?`
        : `Searched: ${this.searchPaths.map(({ path }) => path).join(', ') || 'no search path was given'}.`;
    throw new FoundationError(`No agent is called '${name}'. ${hint}`, { code: 'AGENT_NOT_FOUND' });
  }

  /** Every agent under the name that finds it, highest search path first, each hidden file with the one that hides it. */
  async list(): Promise<ListedAgent[]> {
    const folders = await Promise.all(
      this.searchPaths.map(async (searchPath) => ({ searchPath, files: await listAgentFiles(searchPath) })),
    );
    const listed = new Map<string, ListedAgent>();
    for (const { searchPath, files } of folders) {
      for (const file of files) addListed(listed, searchPath, file);
    }
    const filed = [...listed.values()].map((agent) => this.#overridden(agent));
    return [...this.#oneOffs(filed), ...filed];
  }

  /** Agents that only the override has. */
  #oneOffs(filed: readonly ListedAgent[]): ListedAgent[] {
    const known = new Set(filed.map(({ origin }) => origin));
    return this.#overrideNames.flatMap((name) => {
      const found = this.#override(name);
      return found && !known.has(found.origin) ? [{ name, ...found, namespace: null, hides: [] }] : [];
    });
  }

  #overridden(agent: ListedAgent): ListedAgent {
    const overriding = this.#override(agent.name);
    if (!overriding) return agent;
    const { path, origin, hides } = agent;
    return { ...agent, ...overriding, hides: [{ path, origin }, ...hides] };
  }
}

function addListed(
  listed: Map<string, ListedAgent>,
  { origin, namespace }: AgentSearchPath,
  { name, path }: FoundAgentFile,
): void {
  const higher = listed.get(name);
  if (higher) higher.hides.push({ path, origin });
  else listed.set(name, { name, path, origin, namespace: namespace ?? null, hides: [] });
}

/**
 * A namespaced name is served by the folder of that namespace, or by a folder `namespace/` in one that has none. Bundles
 * also name their agents by a path from their root: `bundle:agents/name`, `bundle:experts/name`.
 */
async function fileIn(
  searchPath: AgentSearchPath,
  { namespace, name }: AgentName,
  places: Places,
): Promise<string | null> {
  const file = `${name}${searchPath.extension ?? AGENT_FILES}`;
  if (namespace === null && (searchPath.nameIn || searchPath.namesIn))
    return (await listAgentFiles(searchPath, places)).find((listed) => listed.name === name)?.path ?? null;
  if (namespace === null) return existingFile(searchPath, file, places);
  if (searchPath.namespace === undefined) return existingFile(searchPath, join(namespace, file), places);
  if (searchPath.namespace !== namespace) return null;
  const { root } = searchPath;
  return (
    (await existingFile(searchPath, file, places)) ??
    (root === undefined ? null : existingFile({ ...searchPath, path: root }, file, places))
  );
}

async function existingFile(
  { path: folder, confine_to }: AgentSearchPath,
  file: string,
  places: Places,
): Promise<string | null> {
  const path = join(folder, file);
  places.add(path);
  try {
    if (!(await stat(path)).isFile()) return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw fileError(error, path);
  }
  return confine_to === undefined ? path : confinedPath(confine_to, path);
}

async function mustExist(path: string, origin: string, name: string): Promise<void> {
  const isFile = await stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
  if (isFile) return;
  throw new FoundationError(
    `${origin} sends the agent '${name}' to ${path}, which is not a file. Correct it or remove it.`,
    { code: 'FILE_NOT_FOUND', place: { file: path } },
  );
}
