import type { JsonObject } from '../data/json.js';

export type ModuleEnvironment = Readonly<Record<string, string | undefined>>;

/** By the config that a module is mounted with, beside it and not in it: what a config holds may be shown. */
const environments = new WeakMap<JsonObject, ModuleEnvironment>();

/** Lets the module that is mounted with this config see these variables in the place of the process's own. */
export function withEnvironment(config: JsonObject, environment: ModuleEnvironment): JsonObject {
  environments.set(config, environment);
  return config;
}

/** The variables that a module with this config goes by. Two programs of different users may share a process. */
export function environmentOf(config: JsonObject): ModuleEnvironment {
  return environments.get(config) ?? process.env;
}
