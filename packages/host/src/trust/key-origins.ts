import { isPlainObject, type JsonObject, moduleSpec } from '@amplifier/core';
import { expandVariables } from '@amplifier/foundation';
import { isWithin } from '@amplifier/workspace';
import type { Project } from '../project/project.js';

/** The addresses a user's own files give for each provider. A key goes there, to the vendor itself, and nowhere else. */
export type KeyOrigins = (moduleId: string) => string[];

export function keyOrigins({
  settings,
  own: bundle,
  paths,
  environment,
}: Pick<Project, 'settings' | 'own' | 'paths' | 'environment'>): KeyOrigins {
  const isProjects = bundle.parts.some(
    ({ file, revision }) => revision === null && isWithin(paths.cwd, file),
  );
  const documents = [settings.scopes.user ?? {}, ...(isProjects ? [] : [bundle as unknown as JsonObject])];
  return (moduleId) => {
    const addresses = documents.flatMap((document) => addressesIn(document, moduleId));
    const read = addresses.map((base_url) => expandVariables({ base_url }, environment).base_url);
    return [...new Set(read)];
  };
}

function addressesIn(value: unknown, moduleId: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => addressesIn(item, moduleId));
  if (!isPlainObject(value)) return [];
  const entry = moduleSpec(value)?.module === moduleId ? value : value[moduleId];
  const config = isPlainObject(entry) ? entry.config : undefined;
  const address = isPlainObject(config) ? config.base_url : undefined;
  return [
    ...(typeof address === 'string' ? [address] : []),
    ...Object.values(value).flatMap((member) => addressesIn(member, moduleId)),
  ];
}
