import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { confinedPath, pathWithin } from '../documents/confined-path.js';
import { FoundationError } from '../errors.js';

/** `name:path` of a bundle, as opposed to a URL, a drive letter or an npm source. */
export function splitNamespaced(reference: string): { namespace: string; path: string } | null {
  const match = /^([A-Za-z0-9_][\w.-]+):(?!\/\/)(.+)$/.exec(reference);
  const [, namespace, path] = match ?? [];
  if (namespace === undefined || path === undefined || namespace === 'npm') return null;
  return { namespace, path };
}

const BUNDLE_FILES = ['bundle.md', 'bundle.yaml', 'bundle.yml'];

/** The bundle file a path means: itself, with an ending, or inside the folder. */
export async function findBundleFile(path: string): Promise<string | null> {
  const endings = ['', '.yaml', '.yml', '.md'].map((ending) => `${path}${ending}`);
  return firstFile([...endings, ...BUNDLE_FILES.map((file) => join(path, file))]);
}

/** The first of some paths that is a file. All are looked at together. */
export async function firstFile(paths: readonly string[]): Promise<string | null> {
  const looks = await Promise.allSettled(paths.map(isFile));
  for (const [index, look] of looks.entries()) {
    if (look.status === 'rejected') throw look.reason;
    if (look.value) return paths[index] ?? null;
  }
  return null;
}

/** A file of a bundle by its path below a root, with or without `.md`. Null when it is not there. */
export async function findInRoot(
  root: string,
  path: string,
  confineTo: string | null,
): Promise<string | null> {
  const full = resolve(root, path);
  if (confineTo !== null) pathWithin(confineTo, full);
  const file = await firstFile([full, `${full}.md`]);
  return file === null || confineTo === null ? file : confinedPath(confineTo, file);
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ELOOP') return false;
      throw new FoundationError('The symbolic link leads back to itself. Remove it or point it at a file.', {
        code: 'SYMLINK_LOOP',
        place: { file: path },
      });
    },
  );
}
