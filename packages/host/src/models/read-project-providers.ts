import { keepSecrets } from '@amplifier/core';
import { moduleLoader, moduleSources } from '../assembly/module-loader.js';
import type { Project } from '../project/project.js';
import { keyOrigins } from '../trust/key-origins.js';
import { chooseProviders } from './choose-providers.js';
import type { ProviderReading } from './read-providers.js';

/** What becomes of each provider of a project, without a store and without a session. */
export async function readProjectProviders(project: Project, offline = false): Promise<ProviderReading[]> {
  const { environment } = project;
  for (const variables of [process.env, environment]) keepSecrets(variables);
  const options = {
    loader: moduleLoader(project, keyOrigins(project)),
    sources: moduleSources(project),
    environment,
    offline,
    prices: project.settings.scopes.user?.prices,
  };
  return (await chooseProviders(await project.plan(), options)).readings;
}
