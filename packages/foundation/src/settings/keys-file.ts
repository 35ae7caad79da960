import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readTextFile } from '../documents/read-text-file.js';
import { FoundationError } from '../errors.js';
import { withFileLock } from './with-file-lock.js';

const LINE = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The names and values of a keys file such as `~/.amplifier/keys.env`. None when it is not there. */
export async function readKeys(file: string): Promise<Record<string, string>> {
  const text = await readIfThere(file);
  const keys: Record<string, string> = {};
  text.split(/\r?\n/).forEach((line, index) => {
    if (line.trim() === '' || line.trimStart().startsWith('#')) return;
    const [, name, value] = LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) throw badLine(file, index + 1);
    keys[name] = unquote(value);
  });
  return keys;
}

/** Sets one key and leaves the other lines as they are. Only the user can read the file. */
export async function writeKey(file: string, name: string, value: string): Promise<void> {
  if (!NAME.test(name) || /[\r\n]/.test(value)) {
    throw new FoundationError(
      `${name} cannot be kept in ${file}: a name has letters, digits and _, and a value is one line.`,
      { code: 'INVALID_SETTINGS', place: { file } },
    );
  }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await withFileLock(file, async () => {
    const lines = (await readIfThere(file))
      .split(/\r?\n/)
      .filter((line, index, all) => line !== '' || index < all.length - 1);
    const line = `${name}=${JSON.stringify(value)}`;
    const at = lines.findIndex((existing) => LINE.exec(existing)?.[1] === name);
    const changed = at === -1 ? [...lines, line] : lines.with(at, line);
    const { default: writeFileAtomic } = await import('write-file-atomic');
    await writeFileAtomic(file, `${changed.join('\n')}\n`, { mode: 0o600 });
  });
}

async function readIfThere(file: string): Promise<string> {
  return readTextFile(file).catch((error: FoundationError) => {
    if (error.code === 'FILE_NOT_FOUND') return '';
    throw error;
  });
}

function unquote(value: string): string {
  if (/^'.*'$/s.test(value)) return value.slice(1, -1);
  if (!/^".*"$/s.test(value)) return value.replace(/\s+#.*$/, '');
  try {
    return JSON.parse(value) as string;
  } catch {
    return value.slice(1, -1); // Written by hand with a lone backslash: taken as it stands.
  }
}

/** The line is not shown: it may hold a key. */
function badLine(file: string, line: number): FoundationError {
  return new FoundationError('This line is not NAME=value. Correct or remove it.', {
    code: 'INVALID_SETTINGS',
    place: { file, line },
  });
}
