import { join, resolve } from 'node:path';
import { decodeName, encodeName, parentOf } from './byte-path.js';
import { runGit, splitNames } from './git.js';
import { type IsolationRecord, isolationPlaces, loadBaseline } from './isolation-record.js';
import type { Change } from './patch.js';
import { isWithin } from './path-scope.js';
import { renderDiff } from './render-diff.js';
import { type SkippedPath, scanTree, type TreeScan } from './scan-tree.js';
import { readEntry, sameEntry } from './tree-entry.js';

/** What an agent changed in its isolated tree. Data only: nothing is applied by having it. */
export interface Patch {
  version: 1;
  isolation_id: string;
  /** The root of the tree it applies to. */
  target: string;
  /** The isolated tree, which holds the new contents. */
  content: string;
  /** Sorted by path; folders too. */
  changes: Change[];
  /** Made, but ignored by git (build outputs, installed packages): not applied unless asked for. Folders stand for all in them. */
  ignored: Change[];
  /** Could not be taken into the patch, and why. */
  skipped: { path: string; reason: string }[];
  /** New symlinks that lead out of the tree. They are applied as symlinks; look at them first. */
  leads_outside: string[];
  /** The changes in git's form, for people and models; `git apply` takes it too. Bytes that are not UTF-8 show as U+FFFD. */
  diff: string;
  /** The diff as exact bytes. */
  diff_path: string;
}

export interface PatchOptions {
  /** Take what git ignores into the changes, instead of only naming it. */
  includeIgnored?: boolean;
}

export async function makePatch(
  home: string,
  record: IsolationRecord,
  { includeIgnored = false }: PatchOptions = {},
): Promise<Patch> {
  const places = isolationPlaces(home, record.id);
  const baseline = await loadBaseline(home, record.id);
  const repositories = new Set(record.repositories.map(decodeName));
  const ignoredPaths = includeIgnored
    ? new Set<string>()
    : await listIgnored(places.tree, places.index, record);
  const carried = new Set(record.carried.map(decodeName));
  const isIgnored = (path: string) => ignoredPaths.has(path) && !baseline.has(path);
  const leaveOut = (path: string): string | null => {
    if ((path === '.git' && record.git) || carried.has(path) || isIgnored(path)) return '';
    if (path === '.git' || path.endsWith('/.git'))
      return 'it is a repository of its own, whose hooks and settings are not taken over';
    return repositories.has(path) ? '' : null;
  };
  const { entries, skipped } = await scanTree(places.tree, { known: baseline, leaveOut });
  const changes = compareScans(baseline, entries, repositories);
  const ignored = await Promise.all(
    [...ignoredPaths]
      .filter((path) => !baseline.has(path) && !carried.has(path))
      .map((path) => ignoredChange(places.tree, path)),
  );
  const diff = await renderDiff({ record, home, changes });
  return {
    version: 1,
    isolation_id: record.id,
    target: record.stands_for ?? record.source ?? '',
    content: places.tree,
    changes,
    ignored: ignored.flat().sort(byPath),
    skipped: skipped.map(({ path, reason }: SkippedPath) => ({ path: encodeName(path), reason })),
    leads_outside: changes.filter((change) => leadsOutside(places.tree, change)).map(({ path }) => path),
    diff: diff.text,
    diff_path: diff.path,
  };
}

/** Paths that git ignores here, folders collapsed. The agent's own settings and index have no say. */
async function listIgnored(tree: string, index: string, { git }: IsolationRecord): Promise<Set<string>> {
  if (!git) return new Set();
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  const output = await runGit([`--git-dir=${git.common}`, `--work-tree=${tree}`, ...args], {
    cwd: tree,
    env: { GIT_INDEX_FILE: index },
  });
  return new Set(splitNames(output).map((name) => name.replace(/\/$/, '')));
}

function compareScans(before: TreeScan, after: TreeScan, repositories: ReadonlySet<string>): Change[] {
  const changes: Change[] = [];
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(path)?.entry ?? null, after.get(path)?.entry ?? null];
    if (!sameEntry(old, now) && !repositories.has(path))
      changes.push({ path: encodeName(path), before: old, after: now });
  }
  return changes.sort(byPath);
}

async function ignoredChange(tree: string, path: string): Promise<Change[]> {
  const found = await readEntry(tree, path);
  return found ? [{ path: encodeName(path), before: null, after: found.entry }] : [];
}

function leadsOutside(tree: string, { path, after }: Change): boolean {
  if (after?.type !== 'symlink') return false;
  const folder = join(tree, parentOf(decodeName(path)));
  return !isWithin(tree, resolve(folder, decodeName(after.target)));
}

function byPath(a: Change, b: Change): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
