import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { errorInfo, ProcessIdentity } from '@amplifier/core';
import { z } from 'zod';
import { isWithin } from '../grant/path-scope.js';
import { errnoOf, WorkspaceError } from '../workspace-error.js';

export const IsolationKind = z.enum(['worktree', 'copy', 'fresh']);
export type IsolationKind = z.infer<typeof IsolationKind>;

/** What is known of an isolated tree; written before the tree is made, so that a crash never leaves a nameless one. */
export const IsolationRecord = z.object({
  version: z.literal(1),
  id: z.string(),
  kind: IsolationKind,
  /** The root of the tree it was made from, and where its patch applies; null for a fresh folder without a place yet. */
  source: z.string().nullable(),
  /** The root of the user's own tree, where `source` is itself an isolated tree made from it. Then a person applies the patch there. */
  stands_for: z.string().nullable().default(null),
  /** The folder that was asked for, relative to the root. */
  prefix: z.string(),
  /** `making` until the agent may enter; `open` while its owner uses it; `kept` when it waits for a person. */
  state: z.enum(['making', 'open', 'kept']),
  /** Why it was kept. */
  note: z.string().nullable(),
  /** Whose work it holds, once it is kept. */
  session_id: z.string().nullable().default(null),
  owner: ProcessIdentity,
  created_at: z.string(),
  /** The repository's common folder, this worktree's own folder in it, and the commit it stands on. */
  git: z.object({ common: z.string(), admin: z.string().nullable(), head: z.string() }).nullable(),
  /** Submodules and repositories inside, left alone. */
  repositories: z.array(z.string()),
  /** What git ignores and was brought along: no part of a patch. */
  carried: z.array(z.string()).default([]),
  /** A port for whatever is served from the tree, so that two trees do not meet. */
  port: z.number().nullable().default(null),
  /** What could not be isolated, and why. */
  skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
  /** Left out because the session may not read it; a folder includes everything in it. */
  denied: z.array(z.string()).default([]),
});
export type IsolationRecord = z.infer<typeof IsolationRecord>;

const ID = /^[0-9a-f-]{36}$/;

/** The places of one isolated tree below the workspace home. */
export function isolationPlaces(home: string, id: string) {
  const folder = join(home, 'isolations', id);
  return {
    folder,
    record: join(folder, 'isolation.json'),
    /** The snapshot that patches are compared with. */
    baseline: join(folder, 'baseline.json'),
    diff: join(folder, 'patch.diff'),
    /** What the latest patch changes, for lists. */
    changes: join(folder, 'changes.json'),
    index: join(folder, 'index'),
    tree: join(folder, 'tree'),
    gitFolder: join(folder, 'git'),
    gitFile: join(folder, 'gitfile'),
    setupLog: join(folder, 'setup.log'),
  };
}

/** The places of the isolated tree below `folder` that a path is in, by name only; null for any other path. */
export function isolationAround(folder: string, path: string): ReturnType<typeof isolationPlaces> | null {
  const parts = isWithin(folder, path) ? relative(folder, path).split(sep) : [];
  // Several workspace homes may be in the folder.
  const at = parts.findIndex((id, index) => ID.test(id) && parts[index - 1] === 'isolations');
  const home = join(folder, ...parts.slice(0, Math.max(0, at - 1)));
  return at !== -1 && parts[at + 1] === 'tree' ? isolationPlaces(home, parts[at] as string) : null;
}

export async function saveRecord(home: string, record: IsolationRecord): Promise<void> {
  const { default: writeFileAtomic } = await import('write-file-atomic');
  const places = isolationPlaces(home, record.id);
  await mkdir(places.folder, { recursive: true, mode: 0o700 });
  await writeFileAtomic(places.record, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
}

export async function loadRecord(home: string, id: string): Promise<IsolationRecord> {
  const file = isolationPlaces(home, id).record;
  if (!ID.test(id)) throw notFound(id);
  try {
    return IsolationRecord.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw notFound(id);
    throw new WorkspaceError(`${file} cannot be read: ${errorInfo(error).message}`, {
      code: 'RECORD_INVALID',
      cause: error,
    });
  }
}

/** The ids of all isolated trees below the home. */
export async function listIds(home: string): Promise<string[]> {
  try {
    return (await readdir(join(home, 'isolations'))).filter((name) => ID.test(name)).sort();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

function notFound(id: string): WorkspaceError {
  return new WorkspaceError(`There is no isolated tree ${id}.`, { code: 'ISOLATION_NOT_FOUND' });
}
