import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileError } from '../documents/read-text-file.js';
import { findBundleFile } from './bundle-references.js';
import type { BundleRegistry } from './open-bundle-file.js';

/** The bundles of some folders by name: a folder with a bundle file, or a single file. Earlier folders win. */
export async function discoverBundles(folders: readonly string[]): Promise<BundleRegistry> {
  const found: Record<string, string> = {};
  for (const folder of folders) {
    for (const entry of await entriesOf(folder)) {
      const extension = extname(entry);
      const isDocument = ['.md', '.yaml', '.yml'].includes(extension);
      const name = isDocument ? entry.slice(0, -extension.length) : entry;
      if (name.startsWith('.') || name === 'README' || Object.hasOwn(found, name)) continue;
      const file = await findBundleFile(join(folder, entry));
      if (file) found[name] = file;
    }
  }
  return found;
}

async function entriesOf(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw fileError(error, folder);
  }
}
