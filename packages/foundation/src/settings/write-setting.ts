import { isPlainObject, isSecretName, type JsonObject, setOwn } from '@amplifier/core';
import writeFileAtomic from 'write-file-atomic';
import { parseDocument } from 'yaml';
import { readTextFile } from '../documents/read-text-file.js';
import { YAML_OUTPUT } from '../documents/yaml-output.js';
import type { FoundationError } from '../errors.js';
import { writeKey } from './keys-file.js';
import { parseSettings } from './load-settings.js';
import { withFileLock } from './with-file-lock.js';

export interface SettingWrite {
  /** The settings file to change. */
  file: string;
  /** Secrets go here instead, and the settings get a reference. */
  keysFile: string;
  /** Such as `['bundle', 'active']`. */
  path: readonly (string | number)[];
  /** Undefined removes it. */
  value: unknown;
}

/** Sets one value and leaves comments and order as they are. What would make the file unusable is refused before it is written. */
export async function writeSetting({ file, keysFile, path, value }: SettingWrite): Promise<void> {
  const { kept, secrets } = moveSecrets(value, path);
  await withFileLock(file, async () => {
    const text = await readTextFile(file).catch((error: FoundationError) => {
      if (error.code === 'FILE_NOT_FOUND') return '';
      throw error;
    });
    parseSettings(text, file);
    const document = parseDocument(text, YAML_OUTPUT);
    if (value === undefined) document.deleteIn(path);
    else document.setIn(path, document.createNode(kept));
    const changed = document.toString({ lineWidth: 0 });
    parseSettings(changed, file);
    // A setting that is refused leaves no key behind.
    for (const [name, secret] of Object.entries(secrets)) await writeKey(keysFile, name, secret);
    await writeFileAtomic(file, changed, { mode: 0o600 });
  });
}

/** Literal secrets out of a value, each under the name of a variable made from its path. */
function moveSecrets(
  value: unknown,
  path: readonly (string | number)[],
): { kept: unknown; secrets: Record<string, string> } {
  const secrets: Record<string, string> = {};
  return { kept: move(value, path.map(String)), secrets };

  function move(member: unknown, names: string[]): unknown {
    if (
      typeof member === 'string' &&
      isSecretName(names.at(-1) ?? '') &&
      member !== '' &&
      !member.startsWith('${')
    ) {
      const variable = variableName(names);
      secrets[variable] = member;
      return `\${${variable}}`;
    }
    if (Array.isArray(member)) return member.map((item, index) => move(item, [...names, String(index)]));
    if (!isPlainObject(member)) return member;
    const moved: JsonObject = {};
    const owner = [member.id, member.module].find((name) => typeof name === 'string');
    const start = typeof owner === 'string' ? [owner] : names;
    for (const [key, inner] of Object.entries(member)) setOwn(moved, key, move(inner, [...start, key]));
    return moved;
  }
}

/** `provider-anthropic`, `config`, `api_key` become ANTHROPIC_API_KEY, the name the vendor's own tools use. */
function variableName(names: readonly string[]): string {
  const words = names.filter((name) => !['config', 'providers', 'overrides'].includes(name));
  return words
    .join('_')
    .replace(/^provider-/, '')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^(\d)/, '_$1');
}
