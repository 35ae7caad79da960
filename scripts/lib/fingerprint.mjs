import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './paths.mjs';

const SKIPPED = new Set(['node_modules', 'dist', 'coverage', '.cache']);

/** A hash that changes when a file below `folders` is added, removed, renamed or written. Reads no content. */
export function fingerprintTree(folders, wanted) {
  const hash = createHash('sha256');
  for (const folder of folders) visit(join(root, folder));
  return hash.digest('hex');

  function visit(path) {
    for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      const child = join(path, entry.name);
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name)) visit(child);
      } else if (wanted(entry.name)) {
        const { mtimeMs, size } = statSync(child);
        hash.update(`${child}\n${mtimeMs}\n${size}\n`);
      }
    }
  }
}

export function fingerprintFiles(files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

/** True when the stamp of an earlier success says that nothing has changed since. */
export function isFresh(stamp, fingerprint) {
  try {
    return readFileSync(join(root, stamp), 'utf8') === fingerprint;
  } catch {
    return false;
  }
}

export function markFresh(stamp, fingerprint) {
  const path = join(root, stamp);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, fingerprint);
}
