import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_DEPTH = 6;
/** Folders that are looked into at most. */
const MAX_FOLDERS = 4000;
/** What packages and builds put there is no place where somebody works with git. */
const PASSED_OVER = new Set(['node_modules', '.venv', 'venv', 'target', 'dist', 'build', '.cache']);

/**
 * The repositories below a folder, and git's own folders of its submodules: git's hooks and settings act in each of them. What
 * lies deeper or beyond the bound is not found; a folder that large is looked through as far as it goes, shallow folders first.
 */
export async function nestedRepositories(
  folder: string,
  { depth: deepest = MAX_DEPTH, folders = MAX_FOLDERS } = {},
): Promise<string[]> {
  const found: string[] = [];
  let level = [folder];
  let looked = 0;
  for (let depth = 0; depth <= deepest && level.length > 0; depth++) {
    const next: string[] = [];
    for (const place of level) {
      if (++looked > folders) return found;
      for (const entry of await entriesOf(place)) {
        if (entry.name === '.git' && place !== folder) found.push(place);
        if (entry.isDirectory() && entry.name !== '.git' && !PASSED_OVER.has(entry.name))
          next.push(join(place, entry.name));
      }
    }
    level = next;
  }
  return found;
}

/** Git's own folders of the submodules of the repository at `folder`: `.git/modules/NAME`, with slashes in the names. */
export async function moduleFolders(folder: string): Promise<string[]> {
  const found: string[] = [];
  let level = [join(folder, '.git/modules')];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    const next: string[] = [];
    for (const place of level) {
      const entries = await entriesOf(place);
      if (entries.some(({ name }) => name === 'HEAD')) found.push(place);
      const inner = entries.filter((entry) => entry.isDirectory() && !GITS_OWN.has(entry.name));
      next.push(...inner.map(({ name }) => join(place, name)));
      if (found.length + next.length > MAX_FOLDERS) return found;
    }
    level = next;
  }
  return found;
}

/** What tells git, in a folder of a worktree of the repository at `folder`, where its settings are. */
export async function worktreePointers(folder: string): Promise<string[]> {
  const worktrees = join(folder, '.git/worktrees');
  const names = (await entriesOf(worktrees)).slice(0, MAX_FOLDERS).map(({ name }) => name);
  return names.flatMap((name) => ['commondir', 'config.worktree'].map((file) => join(worktrees, name, file)));
}

const GITS_OWN = new Set(['objects', 'refs', 'logs', 'hooks', 'info', 'lfs', 'worktrees']);

/** What cannot be looked into holds nothing that a session could reach. */
function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
