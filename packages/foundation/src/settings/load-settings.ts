import { dirname, join } from 'node:path';
import { absoluteSource, absoluteSources } from '../documents/absolute-sources.js';
import { mappingError } from '../documents/describe-issue.js';
import { parseYamlMapping } from '../documents/parse-yaml.js';
import { readTextFile } from '../documents/read-text-file.js';
import type { FoundationError } from '../errors.js';
import { mergeSettings } from './merge-settings.js';
import { Settings } from './settings-schema.js';

/** Lowest first. */
export const SETTINGS_SCOPES = ['user', 'project', 'local'] as const;
export type SettingsScope = (typeof SETTINGS_SCOPES)[number];

export interface LoadedSettings {
  /** All scopes together. */
  settings: Settings;
  /** What each scope says by itself; those without a file are left out. */
  scopes: Partial<Record<SettingsScope, Settings>>;
}

/** Where each scope lives, given `~/.amplifier` and `<project>/.amplifier`. */
export function settingsFiles(userDir: string, projectDir: string): Record<SettingsScope, string> {
  return {
    user: join(userDir, 'settings.yaml'),
    project: join(projectDir, 'settings.yaml'),
    local: join(projectDir, 'settings.local.yaml'),
  };
}

/** Reads the scopes there are. A file that cannot be used is an error with file and line: half of the settings is worse than none. */
export async function loadSettings(files: Partial<Record<SettingsScope, string>>): Promise<LoadedSettings> {
  const read = await Promise.all(
    SETTINGS_SCOPES.map(async (scope) => {
      const file = files[scope];
      const settings = file && (await readSettings(file));
      if (!settings) return [];
      return [[scope, scope === 'user' ? fromFolder(settings, dirname(file)) : settings] as const];
    }),
  );
  const scopes: LoadedSettings['scopes'] = Object.fromEntries(read.flat());
  const present = SETTINGS_SCOPES.flatMap<Settings>((scope) => scopes[scope] ?? []);
  return { settings: present.reduce(mergeSettings, {}), scopes };
}

/**
 * Relative sources in the user's file start at that file: they must not mean something else in each folder. Those of a project
 * start at the project.
 */
function fromFolder(settings: Settings, folder: string): Settings {
  const { bundle, sources } = settings;
  const one = (source: string) => absoluteSource(source, folder);
  const each = (named: Record<string, string> = {}) =>
    Object.fromEntries(Object.entries(named).map(([name, source]) => [name, one(source)]));
  const result: Settings = { ...settings };
  for (const section of ['config', 'modules', 'overrides'] as const)
    if (settings[section])
      Object.assign(result, { [section]: absoluteSources(settings[section], folder, null) });
  if (bundle)
    result.bundle = {
      ...bundle,
      ...(bundle.active === undefined ? {} : { active: one(bundle.active) }),
      ...(bundle.app ? { app: bundle.app.map(one) } : {}),
      ...(bundle.added ? { added: each(bundle.added) } : {}),
    };
  if (sources)
    result.sources = {
      ...sources,
      ...(sources.modules ? { modules: each(sources.modules) } : {}),
      ...(sources.bundles ? { bundles: each(sources.bundles) } : {}),
    };
  return result;
}

async function readSettings(file: string): Promise<Settings | null> {
  const text = await readTextFile(file).catch((error: FoundationError) => {
    if (error.code === 'FILE_NOT_FOUND') return null;
    throw error;
  });
  return text === null ? null : parseSettings(text, file);
}

export function parseSettings(text: string, file: string): Settings {
  const mapping = parseYamlMapping({ text, file });
  const checked = Settings.safeParse(mapping.data);
  if (checked.success) return checked.data;
  throw mappingError(checked.error, mapping, 'INVALID_SETTINGS');
}
