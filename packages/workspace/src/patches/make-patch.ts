import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { NAMED_PATHS, PATCH_MAX_BYTES, PATCH_MAX_CHANGES } from '../defaults.js';
import { isWithin } from '../grant/path-scope.js';
import { decodeName, encodeName, parentOf } from '../isolation/byte-path.js';
import { runGit, splitNames } from '../isolation/git.js';
import { type IsolationRecord, isolationPlaces } from '../isolation/isolation-record.js';
import type { Change } from './change.js';
import { listChanges, saveListed } from './listed-changes.js';
import { contentIn, renderDiff } from './render-diff.js';
import { compareSnapshots, loadSnapshot, takeSnapshot } from './snapshot.js';
import { sameEntry, type TreeEntry } from './tree-entry.js';

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
  ignored: { path: string }[];
  /** Could not be taken into the patch, and why. Of very many, the last one says how many more there are. */
  skipped: { path: string; reason: string }[];
  /** There are more changes than a patch holds, so it cannot be applied. */
  is_cut: boolean;
  /** New symlinks that lead out of the tree. They are applied as symlinks; look at them first. */
  leads_outside: string[];
  /** The changes in git's form, for people and models; `git apply` takes it too. Bytes that are not UTF-8 show as U+FFFD. */
  diff: string;
  /** The diff as exact bytes. */
  diff_path: string;
}

export interface PatchOptions {
  /** Take what git ignores into the changes, instead of only naming it. */
  includeIgnored?: boolean | undefined;
}

export async function makePatch(
  home: string,
  record: IsolationRecord,
  { includeIgnored = false }: PatchOptions = {},
): Promise<Patch> {
  const places = isolationPlaces(home, record.id);
  const baseline = await loadSnapshot(places.baseline);
  const repositories = new Set(record.repositories.map(decodeName));
  const ignoredPaths = includeIgnored
    ? new Set<string>()
    : await listIgnored(places.tree, places.index, record);
  const carried = new Set(record.carried.map(decodeName));
  const isIgnored = (path: string) => ignoredPaths.has(path) && !baseline.entries.has(path);
  const leaveOut = (path: string): string | null => {
    if ((path === '.git' && record.git) || carried.has(path) || isIgnored(path)) return '';
    if (path === '.git' || path.endsWith('/.git'))
      return 'it is a repository of its own, whose hooks and settings are not taken over';
    return repositories.has(path) ? '' : null;
  };
  const limits = { entries: PATCH_MAX_CHANGES, bytes: PATCH_MAX_BYTES };
  const now = await takeSnapshot(places.tree, { known: baseline, leaveOut, limits });
  const changes = compareSnapshots(baseline, now)
    .filter(({ path }) => !repositories.has(decodeName(path)))
    .map((change) => ({ ...change, after: withShownMode(change) }))
    .filter(({ before, after }) => !sameEntry(before, after));
  const ignored = [...ignoredPaths]
    .filter((path) => !baseline.entries.has(path) && !carried.has(path))
    .map((path) => ({ path: encodeName(path), reason: 'git ignores it' }));
  const roots = { before: record.source, after: places.tree };
  const diff = await renderDiff(places.folder, changes, (side, change) =>
    contentIn(roots[side], decodeName(change.path), change[side]),
  );
  await writeFile(places.diff, diff, { mode: 0o600 });
  if (!includeIgnored) await saveListed(places.changes, listChanges(changes));
  return {
    version: 1,
    isolation_id: record.id,
    target: record.stands_for ?? record.source ?? '',
    content: places.tree,
    changes,
    ignored: firstOf(ignored.sort(byPath)).map(({ path }) => ({ path })),
    skipped: [
      ...firstOf(now.skipped.map(({ path, reason }) => ({ path: encodeName(path), reason }))),
      ...firstOf(ignored).slice(NAMED_PATHS),
    ],
    is_cut: now.is_cut ?? false,
    leads_outside: linksOutside(places.tree, changes),
    diff: diff.toString(),
    diff_path: places.diff,
  };
}

/**
 * With the permissions that a diff shows: git has one bit, executable or not. What is new gets none beyond 0755 or 0644; what was there
 * keeps its own, but for that bit.
 */
function withShownMode({ before, after }: Change): TreeEntry | null {
  if (after === null || after.type === 'symlink') return after;
  if (after.type === 'folder')
    return { ...after, mode: before?.type === 'folder' ? before.mode : after.mode & 0o755 };
  const runs = (after.mode & 0o100) !== 0;
  if (before?.type !== 'file') return { ...after, mode: after.mode & (runs ? 0o755 : 0o644) };
  if (runs === ((before.mode & 0o100) !== 0)) return { ...after, mode: before.mode };
  // As git does: those who may read it may run it.
  const mode = runs ? before.mode | ((before.mode & 0o444) >> 2) : before.mode & ~0o111;
  return { ...after, mode };
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

/** The first ones, and one more that counts the rest. */
function firstOf<T extends { path: string; reason: string }>(
  all: readonly T[],
): { path: string; reason: string }[] {
  const [next, ...rest] = all.slice(NAMED_PATHS);
  if (!next) return [...all];
  const reason = `${next.reason} (and ${rest.length} more like this)`;
  return [...all.slice(0, NAMED_PATHS), { path: next.path, reason }];
}

/** The paths of new symlinks that lead out of the tree. */
export function linksOutside(tree: string, changes: readonly Change[]): string[] {
  const leadsOutside = ({ path, after }: Change) => {
    if (after?.type !== 'symlink') return false;
    const folder = join(tree, parentOf(decodeName(path)));
    return !isWithin(tree, resolve(folder, decodeName(after.target)));
  };
  return changes.filter(leadsOutside).map(({ path }) => path);
}

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
