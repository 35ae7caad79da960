import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { confinedPath } from '@amplifier/foundation';
import { DaemonError } from '../daemon-error.js';
import { FILE_MODE, FOLDER_MODE, MAX_PROFILE_FILES } from '../defaults.js';

const LEFT_OUT = new Set(['.git', '__pycache__', '.venv', 'node_modules']);

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The files below a folder, as relative paths in order. Links are followed only where they stay inside of `root`. */
export async function listFiles(folder: string, root: string): Promise<string[]> {
  const files: string[] = [];
  const visit = async (at: string): Promise<void> => {
    for (const entry of await readdir(join(folder, at), { withFileTypes: true })) {
      if (LEFT_OUT.has(entry.name)) continue;
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      const kind = entry.isSymbolicLink() ? await stat(await confinedPath(root, join(folder, path))) : entry;
      if (kind.isFile()) files.push(path);
      else if (kind.isDirectory() && !entry.isSymbolicLink()) await visit(path);
      if (files.length > MAX_PROFILE_FILES) {
        throw new DaemonError('PROFILE_INVALID', `A source has more than ${MAX_PROFILE_FILES} files.`);
      }
    }
  };
  await visit('');
  return files.sort();
}

/** Copies a file or folder and returns the digest of all that was copied. */
export async function copySource(source: string, root: string, target: string): Promise<string> {
  if ((await stat(source)).isFile()) {
    const content = await readFile(source);
    await writeCopy(target, content);
    return `sha256:${sha256(content)}`;
  }
  await mkdir(target, { recursive: true, mode: FOLDER_MODE });
  const digest = new TreeDigest();
  for (const file of await listFiles(source, root)) {
    const content = await readFile(join(source, file));
    digest.add(file, content);
    await writeCopy(join(target, file), content);
  }
  return digest.text;
}

/** The digest of what was copied to `target`, and the files it is made of. */
export async function digestCopy(target: string): Promise<{ digest: string; files: string[] }> {
  if ((await stat(target)).isFile())
    return { digest: `sha256:${sha256(await readFile(target))}`, files: [target] };
  const names = await listFiles(target, target);
  const digest = new TreeDigest();
  for (const name of names) digest.add(name, await readFile(join(target, name)));
  return { digest: digest.text, files: names.map((name) => join(target, name)) };
}

/** One digest of many files with their names. */
class TreeDigest {
  readonly #hash = createHash('sha256');

  add(file: string, content: Uint8Array): void {
    this.#hash.update(`${file}\0${sha256(content)}\n`);
  }

  get text(): string {
    return `sha256:${this.#hash.digest('hex')}`;
  }
}

export async function writeCopy(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
  await writeFile(path, content, { mode: FILE_MODE, flag: 'wx' });
}
