import {
  type Diagnostic,
  ModuleLoader,
  type ModuleRegistry,
  type ModuleSourceResolver,
  withEnvironment,
} from '@amplifier/core';
import { delegationModules } from '@amplifier/delegation';
import {
  expandVariables,
  isRelativeSource,
  moduleFinder,
  moduleVariable,
  type NamedModule,
  ROUTING_HOOK,
  routingHook,
} from '@amplifier/foundation';
import { builtinModules } from '@amplifier/modules';
import type { Project } from '../project/project.js';
import type { KeyOrigins } from '../trust/key-origins.js';
import { OTHER_IDS, withoutPython } from './python-modules.js';

const otherIds = Object.entries(OTHER_IDS).flatMap(([id, { module }]) => {
  const serving = builtinModules[module];
  return serving ? [[id, serving] as const] : [];
});

const modules: ModuleRegistry = {
  ...builtinModules,
  ...Object.fromEntries(otherIds),
  ...delegationModules,
  [ROUTING_HOOK]: () => routingHook,
};

/** The modules that come with the program. */
export const BUILT_IN_MODULES: readonly string[] = Object.keys(modules);

/** Finds every module a plan of this project may name, and reads what its config refers to just before it is mounted. */
export function moduleLoader(
  { environment, report }: Pick<Project, 'environment' | 'report'>,
  keysGoTo?: KeyOrigins,
): ModuleLoader {
  return new ModuleLoader({
    builtins: modules,
    prepareConfig: (config, moduleId) => {
      const read = expandVariables(config, environment, (name) => report(missingVariable(name, moduleId)));
      const bound =
        keysGoTo && moduleId.startsWith('provider-') ? { ...read, key_origins: keysGoTo(moduleId) } : read;
      return withEnvironment(bound, environment);
    },
  });
}

/** Where modules come from that are not built in. */
export function moduleSources(project: Project): ModuleSourceResolver {
  const { settings, environment, modules: pinned } = project;
  const { name, find } = planFinder(project);
  const overrides = settings.settings.sources?.modules ?? {};
  const resolver: ModuleSourceResolver = {
    async resolve(moduleId, source) {
      const named = name(moduleId, source);
      const found = await find(named).catch(async (error) => {
        if (named.location !== null) await pinned.checkMissing(named);
        throw error;
      });
      return pinned.load(found);
    },
  };
  return withoutPython(
    resolver,
    (id) => Object.hasOwn(overrides, id) || environment[moduleVariable(id)] !== undefined,
  );
}

/** Finds the modules that a plan of this project names. */
export function planFinder(project: Project) {
  const { sources, settings, trust, environment, paths } = project;
  const isUsers = usersNames(project);
  return moduleFinder({
    sources,
    // Nothing in an untrusted folder is loaded, its node_modules included, and the user's names mean the same in every folder.
    baseDir: (named) => (trust.state === 'trusted' && !isUsers(named) ? paths.cwd : paths.home),
    overrides: settings.settings.sources?.modules ?? {},
    environment,
  });
}

/** Modules that only the user can have named: the environment, the user's own settings and bundle, or a folder without a say. */
export function usersNames({ settings, own, trust }: Pick<Project, 'settings' | 'own' | 'trust'>) {
  const users = JSON.stringify([settings.scopes.user, own]);
  return ({ by_environment, source }: Pick<NamedModule, 'by_environment' | 'source'>) =>
    by_environment
      ? !isRelativeSource(source)
      : trust.state !== 'trusted' || trust.digest === '' || users.includes(JSON.stringify(source));
}

function missingVariable(name: string, moduleId: string): Diagnostic {
  return {
    level: 'warning',
    code: 'VARIABLE_MISSING',
    message: `${moduleId} refers to \${${name}}, which is not set. Set it in the environment or in keys.env.`,
  };
}
