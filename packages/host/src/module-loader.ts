import {
  type Diagnostic,
  ModuleLoader,
  type ModuleRegistry,
  type ModuleSourceResolver,
} from '@amplifier/core';
import { delegationModules } from '@amplifier/delegation';
import { expandVariables, moduleSourceResolver, ROUTING_HOOK, routingHook } from '@amplifier/foundation';
import { builtinModules } from '@amplifier/modules';
import type { Project } from './open-project.js';

const modules: ModuleRegistry = {
  ...builtinModules,
  ...delegationModules,
  [ROUTING_HOOK]: () => routingHook,
};

/** Finds every module a plan of this project may name, and reads what its config refers to just before it is mounted. */
export function moduleLoader({ environment, report }: Pick<Project, 'environment' | 'report'>): ModuleLoader {
  return new ModuleLoader({
    builtins: modules,
    prepareConfig: (config, moduleId) =>
      expandVariables(config, environment, (name) => report(missingVariable(name, moduleId))),
  });
}

/** Where modules come from that are not built in. */
export function moduleSources({ sources, settings, environment, paths }: Project): ModuleSourceResolver {
  return moduleSourceResolver({
    sources,
    baseDir: paths.cwd,
    overrides: settings.settings.sources?.modules ?? {},
    environment,
  });
}

function missingVariable(name: string, moduleId: string): Diagnostic {
  return {
    level: 'warning',
    code: 'VARIABLE_MISSING',
    message: `${moduleId} refers to \${${name}}, which is not set. Set it in the environment or in keys.env.`,
  };
}
