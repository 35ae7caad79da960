import { isPlainObject, type JsonObject, mergeModuleLists, mergeValues } from '@amplifier/core';
import { mergeToolConfig } from '../merge/merge-tool-config.js';
import type { Settings } from './settings-schema.js';

/**
 * Lays a higher scope over a lower one. Objects merge, lists are replaced, except that modules merge by identity and the
 * permission paths of a tool add up. Neither input changes.
 */
export function mergeSettings(base: Settings, overlay: Settings): Settings {
  const merged = mergeValues(base, overlay) as Settings & JsonObject;
  joinModules(merged, base, overlay, 'config', 'providers');
  joinModules(merged, base, overlay, 'modules', 'tools');
  joinModules(merged, base, overlay, 'modules', 'hooks');
  for (const [module, override] of Object.entries(merged.overrides ?? {})) {
    const [lower, higher] = [base.overrides?.[module]?.config, overlay.overrides?.[module]?.config];
    if (lower && higher) override.config = mergeToolConfig(lower, higher);
  }
  return merged;
}

function joinModules(
  merged: JsonObject,
  base: JsonObject,
  overlay: JsonObject,
  section: string,
  list: string,
): void {
  const target = merged[section];
  const [lower, higher] = [listIn(base, section, list), listIn(overlay, section, list)];
  if (isPlainObject(target) && (lower || higher)) target[list] = mergeModuleLists(lower, higher);
}

function listIn(settings: JsonObject, section: string, list: string): unknown[] | null {
  const value = isPlainObject(settings[section]) ? settings[section][list] : undefined;
  return Array.isArray(value) ? value : null;
}
