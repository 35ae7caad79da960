import { isPlainObject } from '@amplifier/core';
import type { AgentCatalog, DelegatorOptions, Engine, Question } from '@amplifier/delegation';
import type { SessionStore } from '@amplifier/sessions';
import type { Project } from './open-project.js';

const PREFIX = 'acp:';

/**
 * External coding agents: the roster with what the section `delegation` of the settings says of it, and the engine that
 * drives them. Nothing is loaded before the first of them is asked for.
 */
export class ExternalAgents implements AsyncDisposable {
  readonly engine: Engine;
  readonly catalog: AgentCatalog;
  readonly #project: Project;
  readonly #store: SessionStore;
  readonly #onQuestion: ((question: Question) => void) | undefined;
  #loaded: ReturnType<ExternalAgents['load']> | undefined;

  constructor(project: Project, store: SessionStore, onQuestion: DelegatorOptions['onQuestion']) {
    this.#project = project;
    this.#store = store;
    this.#onQuestion = onQuestion;
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

  #load(): ReturnType<ExternalAgents['load']> {
    this.#loaded ??= this.load();
    return this.#loaded;
  }

  private async load() {
    const { AcpEngine, acpAgents, buildRoster } = await import('@amplifier/acp');
    const { paths, settings, environment } = this.#project;
    const section = isPlainObject(settings.settings.delegation) ? settings.settings.delegation : {};
    const roster = buildRoster({
      agents: isPlainObject(section.agents) ? section.agents : {},
      enabled_agents: Array.isArray(section.enabled_agents) ? section.enabled_agents.map(String) : null,
    });
    const engine = new AcpEngine({
      store: this.#store,
      roster,
      isolationHome: paths.isolations,
      env: environment,
      ...(this.#onQuestion ? { onQuestion: this.#onQuestion } : {}),
    });
    return { engine, catalog: acpAgents(roster) };
  }
}

/** Two catalogs as one: the first that has a name wins. */
export function bothCatalogs(first: AgentCatalog, second: AgentCatalog): AgentCatalog {
  return {
    find: async (name) => (await first.find(name)) ?? second.find(name),
    names: async () => [...(await first.names()), ...(await second.names())],
  };
}
