import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface InstalledPackage {
  folder: string;
  version: string | null;
}

/** The package as code in `from` would find it: in the nearest `node_modules` going up. */
export async function findPackage(name: string, from: string): Promise<InstalledPackage | null> {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = await readPackage(join(folder, 'node_modules', name));
    if (found) return found;
    if (dirname(folder) === folder) return null;
  }
}

async function readPackage(folder: string): Promise<InstalledPackage | null> {
  try {
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      version?: unknown;
    };
    return { folder, version: typeof version === 'string' ? version : null };
  } catch {
    return null; // No package here; the next folder up may have one.
  }
}
