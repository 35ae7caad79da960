import { closestNames, type Project, type ProviderReading, readProjectProviders } from '@amplifier/host';
import type { Cli } from '../cli.js';
import { UsageError } from '../usage-error.js';
import { openCliProject } from './open-project.js';

/** The providers of this folder and what became of each, without a store and without a session. */
export async function openProviders(cli: Cli): Promise<{ project: Project; readings: ProviderReading[] }> {
  const project = await openCliProject(cli);
  return { project, readings: await readProjectProviders(project) };
}

/** Those of one name, or all. */
export function pick(
  readings: readonly ProviderReading[],
  name: string | undefined,
): readonly ProviderReading[] {
  if (name === undefined) return readings;
  const found = readings.filter((reading) =>
    [reading.name, reading.spec.module, reading.spec.module.replace(/^provider-/, '')].includes(name),
  );
  if (found.length > 0) return found;
  const [guess] = closestNames(
    name,
    readings.map((reading) => reading.name),
  );
  throw new UsageError(
    `No provider is called '${name}'.${guess ? ` Did you mean '${guess}'?` : ' See: amplifier provider list'}`,
  );
}
