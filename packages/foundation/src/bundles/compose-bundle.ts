import type { JsonObject } from '@amplifier/core';
import type { Bundle } from './bundle.js';
import { mergeBundleModules, mergeBundleValues } from './merge-bundle-values.js';

/** What a single file contributes, its references already resolved. */
export type BundleLayer = Omit<Bundle, 'agents'> & {
  /** Agents this file brings; one of a name below replaces it whole. */
  roster: Record<string, JsonObject>;
  /** Of the agents below only these stay; null keeps all. */
  keep_agents: readonly string[] | null;
};

export const EMPTY_BUNDLE: Bundle = {
  name: '',
  version: null,
  description: '',
  session: {},
  providers: [],
  tools: [],
  hooks: [],
  spawn: {},
  agents: {},
  context: {},
  instruction: null,
  namespaces: {},
  parts: [],
  warnings: [],
};

/** Lays one file over what is below it. Later wins; see `mergeBundleValues` for lists. Neither input changes. */
export function composeBundle(below: Bundle, layer: BundleLayer): Bundle {
  const { keep_agents } = layer;
  const kept = Object.entries(below.agents).filter(
    ([name]) => keep_agents === null || isListed(name, keep_agents),
  );
  return {
    name: layer.name || below.name,
    version: layer.version ?? below.version,
    description: layer.description || below.description,
    session: mergeBundleValues(below.session, layer.session) as JsonObject,
    providers: mergeBundleModules(below.providers, layer.providers),
    tools: mergeBundleModules(below.tools, layer.tools),
    hooks: mergeBundleModules(below.hooks, layer.hooks),
    spawn: mergeBundleValues(below.spawn, layer.spawn) as JsonObject,
    agents: { ...Object.fromEntries(kept), ...structuredClone(layer.roster) },
    context: { ...below.context, ...layer.context },
    instruction: layer.instruction ?? below.instruction,
    namespaces: { ...layer.namespaces, ...below.namespaces },
    parts: [...below.parts, ...layer.parts],
    warnings: [...below.warnings, ...layer.warnings],
  };
}

/** A list may name an agent of an included bundle with or without the bundle. */
function isListed(name: string, listed: readonly string[]): boolean {
  return (
    listed.includes(name) ||
    listed.some((wanted) => wanted.split(':').at(-1) === name || name.endsWith(`:${wanted}`))
  );
}
