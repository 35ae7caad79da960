import { join } from 'node:path';
import type { AskRules, CircuitBreaker } from '@amplifier/acp';
import type { AgentCatalog, DelegatorOptions, Engine, TreeNeeds } from '@amplifier/delegation';
import type { SessionStore } from '@amplifier/sessions';
import { isTrusted, readTrusted } from '@amplifier/workspace';
import type { Environment } from '../environment.js';
import type { RosterSources } from './read-roster.js';

const PREFIX = 'acp:';

/** What the engine of external agents has to know of the entry point. */
export interface ExternalAgentsSource {
  environment: Environment;
  isolationHome: string;
  isolation: TreeNeeds;
  /** Where the entry point has settings: what they, and `acp.json`, say of the roster. Null leaves it as it is built in. */
  settled: RosterSources | null;
  /** That of the process. Default: one for these agents. */
  breaker?: CircuitBreaker | undefined;
}

/**
 * External coding agents: the roster with what the section `delegation` of the settings says of it, and the engine that
 * drives them. Nothing is loaded before the first of them is asked for.
 */
export class ExternalAgents implements AsyncDisposable {
  readonly engine: Engine;
  readonly catalog: AgentCatalog;
  readonly #open: () => ReturnType<typeof loadExternal>;
  #loaded: ReturnType<typeof loadExternal> | undefined;

  constructor(
    source: ExternalAgentsSource,
    store: SessionStore,
    onQuestion: DelegatorOptions['onQuestion'],
    rules?: AskRules,
  ) {
    this.#open = () => loadExternal(source, store, onQuestion, rules);
    this.engine = { run: async (...turn) => (await this.#load()).engine.run(...turn) };
    this.catalog = {
      find: async (name) => (name.startsWith(PREFIX) ? (await this.#load()).catalog.find(name) : null),
      names: async () => (await this.#load()).catalog.names(),
    };
  }

  /** Ends the agents that were kept running. */
  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#loaded)?.engine.close();
  }

  #load(): ReturnType<typeof loadExternal> {
    this.#loaded ??= this.#open();
    return this.#loaded;
  }
}

async function loadExternal(
  { isolationHome, isolation, settled, environment, breaker }: ExternalAgentsSource,
  store: SessionStore,
  onQuestion: DelegatorOptions['onQuestion'],
  rules: AskRules | undefined,
) {
  const { AcpEngine, acpAgents, buildRoster, Effort } = await import('@amplifier/acp');
  const { delegationSection, readRoster } = await import('./read-roster.js');
  const roster = settled ? await readRoster(settled) : buildRoster();
  const effort = settled ? delegationSection(settled).default_effort : undefined;
  const { data: defaultEffort = null } = Effort.safeParse(effort);
  const engine = new AcpEngine({
    store,
    roster,
    isolationHome,
    isolation,
    env: environment,
    breaker,
    defaultEffort,
    ...(settled
      ? {
          framesFolder: join(settled.paths.logs, 'acp'),
          report: settled.report,
          isTrusted: async (folder: string) =>
            isTrusted(folder, await readTrusted(settled.paths.settings.user)),
        }
      : {}),
    ...(onQuestion ? { onQuestion } : {}),
    ...(rules ? { rules } : {}),
  });
  return { engine, catalog: acpAgents(roster) };
}

/** Two catalogs as one: the first that has a name wins. */
export function bothCatalogs(first: AgentCatalog, second: AgentCatalog): AgentCatalog {
  return {
    find: async (name) => (await first.find(name)) ?? second.find(name),
    names: async () => [...(await first.names()), ...(await second.names())],
  };
}
