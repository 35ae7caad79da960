import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isPlainObject, type JsonObject } from '@amplifier/core';
import { readJsonFile } from '../project/read-json-file.js';

/** Claude Code's settings files of a project: of everybody, and of one person. */
export function claudeSettingsFiles(folder: string): string[] {
  return ['settings.json', 'settings.local.json'].map((name) => join(folder, '.claude', name));
}

/** Where `hook-shell` of the Python Amplifier looks for the same in a project: one file, or one in each folder. */
export async function amplifierHookFiles(project: string): Promise<string[]> {
  const folder = join(project, 'hooks');
  const inside = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const folders = inside.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return ['', ...folders.sort()].map((name) => join(folder, name, 'hooks.json'));
}

/** The hooks of such a file, as Claude Code writes them. Empty where there are none. */
export async function claudeHooksIn(file: string): Promise<JsonObject> {
  const { hooks } = await readJsonFile(file);
  return isPlainObject(hooks) ? hooks : {};
}
