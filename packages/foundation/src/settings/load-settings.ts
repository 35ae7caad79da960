import { join } from 'node:path';
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
      const settings = files[scope] && (await readSettings(files[scope]));
      return settings ? [[scope, settings] as const] : [];
    }),
  );
  const scopes: LoadedSettings['scopes'] = Object.fromEntries(read.flat());
  const present = SETTINGS_SCOPES.flatMap<Settings>((scope) => scopes[scope] ?? []);
  return { settings: present.reduce(mergeSettings, {}), scopes };
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
