import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, parse, relative, resolve } from 'node:path';
import { HostError } from '../host-error.js';
import type { TracedFiles } from './trace-imports.js';

/** The files of a module as they were trusted. */
export interface ModuleManifest {
  entry: string;
  /** Of all of it; names the copy. */
  digest: string;
  /** By absolute path: the SHA-256 of a file, or `-> target` for a link. */
  files: Record<string, string>;
}

export function manifestOf({ entry, files }: TracedFiles): ModuleManifest {
  const entries = [...files].map(([path, content]) => [
    path,
    Buffer.isBuffer(content) ? sha256(content) : `-> ${content.link}`,
  ]);
  const sorted = entries.sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  return { entry, digest: sha256(JSON.stringify([entry, sorted])), files: Object.fromEntries(sorted) };
}

/** Files that are not as the manifest says. */
export async function changedFiles({ files }: ModuleManifest): Promise<string[]> {
  const changed: string[] = [];
  for (const [path, expected] of Object.entries(files))
    if ((await stateOf(path, dirname(path))) !== expected) changed.push(path);
  return changed;
}

/** Writes a copy below `folder`. A copy with the same digest is left as it is. */
export async function storeCopy(
  folder: string,
  { files }: TracedFiles,
  { digest }: ModuleManifest,
): Promise<void> {
  const place = join(folder, digest);
  const draft = `${place}.${randomBytes(6).toString('hex')}`;
  await mkdir(draft, { recursive: true, mode: 0o700 });
  // Ends the search for a manifest: one in a folder above must not decide how the copy is read.
  await writeFile(join(draft, 'package.json'), ROOT_MANIFEST, { mode: 0o400 });
  for (const [path, content] of files) {
    const copy = within(draft, path);
    await mkdir(dirname(copy), { recursive: true, mode: 0o700 });
    // Folders stay writable for their owner, so that the home can be removed; no grant includes them.
    if (Buffer.isBuffer(content)) await writeFile(copy, content, { mode: 0o400 });
    else await symlink(relative(dirname(copy), within(draft, content.link)) || '.', copy);
  }
  try {
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** The entry file of a copy that is exactly what the manifest says. Null if there is no copy; throws for one that differs. */
export async function openCopy(folder: string, manifest: ModuleManifest): Promise<string | null> {
  const place = join(folder, manifest.digest);
  const present = await filesBelow(place).catch((error) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });
  if (present === null) return null;
  const expected = new Map(
    Object.entries(manifest.files).map(([path, state]) => [
      within(place, path),
      state.startsWith('-> ') ? `-> ${within(place, state.slice(3))}` : state,
    ]),
  );
  expected.set(join(place, 'package.json'), sha256(Buffer.from(ROOT_MANIFEST)));
  for (const path of new Set([...present, ...expected.keys()]))
    if ((await stateOf(path, dirname(path))) !== expected.get(path)) throw damaged(place, path);
  return within(place, manifest.entry);
}

const ROOT_MANIFEST = '{"private":true}\n';

async function stateOf(path: string, folder: string): Promise<string | null> {
  const target = await readlink(path).catch(() => null);
  if (target !== null) return `-> ${resolve(folder, target)}`;
  const content = await readFile(path).catch(() => null);
  return content === null ? null : sha256(content);
}

async function filesBelow(folder: string): Promise<string[]> {
  const items = await readdir(folder, { withFileTypes: true });
  const below = items.map((item) => {
    const path = join(folder, item.name);
    return item.isDirectory() ? filesBelow(path) : [path];
  });
  return (await Promise.all(below)).flat();
}

function within(root: string, path: string): string {
  return join(root, path.slice(parse(path).root.length));
}

function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}

function damaged(place: string, path: string): HostError {
  return new HostError(
    `The copy of a trusted module in ${place} was changed at ${path}, so nothing is loaded from it. Remove ${place}; it is made again from the original if that is still what you trusted.`,
    { code: 'MODULE_NOT_TRUSTED', origin: place },
  );
}
