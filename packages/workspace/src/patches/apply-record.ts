import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { errorInfo, ProcessIdentity } from '@amplifier/core';
import { z } from 'zod';
import { ownHomes } from '../grant/own-homes.js';
import { isWithin } from '../grant/path-scope.js';
import { errnoOf, WorkspaceError } from '../workspace-error.js';
import { Change } from './change.js';

/**
 * | state | the tree is | a crash here is answered by |
 * |---|---|---|
 * | `preparing` | old; the contents are being put aside | forgetting it |
 * | `applying` | between old and new | going back to the old one |
 * | `applied` | new | nothing |
 * | `undoing` | between new and old | going on to the old one |
 * | `undone` | old, never to be applied from here again | nothing |
 */
const ApplyState = z.enum(['preparing', 'applying', 'applied', 'undoing', 'undone']);

/** A change with what is needed to bring the old file back as it was. */
export const ApplyStep = Change.extend({
  /** Time of last change of the old file, in seconds; null when there was none. */
  before_mtime: z.number().nullable(),
});
export type ApplyStep = z.infer<typeof ApplyStep>;

/** One patch that was, or is being, applied. Both contents of every file lie beside it before the tree is touched. */
export const ApplyRecord = z.object({
  version: z.literal(1),
  id: z.string(),
  target: z.string(),
  state: ApplyState,
  isolation_id: z.string().nullable(),
  steps: z.array(ApplyStep),
  owner: ProcessIdentity,
  created_at: z.string(),
});
export type ApplyRecord = z.infer<typeof ApplyRecord>;

export function applyPlaces(home: string, id: string) {
  const folder = join(home, 'applies', id);
  return {
    folder,
    record: join(folder, 'apply.json'),
    /** The target alone: a journal for another folder need not be read. */
    target: join(folder, 'target'),
    /** The content of a file before or after step number `step`. */
    content: (side: 'before' | 'after', step: number) => join(folder, side, String(step)),
  };
}

export async function saveApply(home: string, record: ApplyRecord): Promise<void> {
  const { default: writeFileAtomic } = await import('write-file-atomic');
  const places = applyPlaces(home, record.id);
  await mkdir(places.folder, { recursive: true, mode: 0o700 });
  if (record.state === 'preparing') await writeFile(places.target, record.target, { mode: 0o600 });
  await writeFileAtomic(places.record, `${JSON.stringify(record)}\n`, { mode: 0o600 });
}

const ID = /^[0-9a-f-]{36}$/;

export async function loadApply(home: string, id: string): Promise<ApplyRecord> {
  const file = applyPlaces(home, id).record;
  if (!ID.test(id)) throw notFound(id);
  try {
    const record = ApplyRecord.parse(JSON.parse(await readFile(file, 'utf8')));
    const fault = faultIn(record, id);
    if (fault !== null) throw new Error(fault);
    return record;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw notFound(id);
    throw new WorkspaceError(`${file} cannot be read: ${errorInfo(error).message}`, {
      code: 'RECORD_INVALID',
      cause: error,
    });
  }
}

/** Why a journal cannot be one that was written here. Files are written back from it, so nothing of it is taken on trust. */
function faultIn({ id, target, steps }: ApplyRecord, named: string): string | null {
  if (id !== named) return `it is the journal of ${id}`;
  if (!isAbsolute(target) || ownHomes().some((home) => isWithin(home, target)))
    return `${target} is not a folder that proposals are applied to`;
  const outside = steps.find(({ path }) => {
    const parts = path.split('/');
    return parts.some((part) => ['', '.', '..', '.git'].includes(part.toLowerCase()));
  });
  return outside === undefined ? null : `no proposal changes ${JSON.stringify(outside.path)}`;
}

/** The folder that a journal is for, without reading its steps. Null if there is no journal, or none that can be read. */
export async function targetOfApply(home: string, id: string): Promise<string | null> {
  const target = await readFile(applyPlaces(home, id).target, 'utf8').catch(() => '');
  // Older journals have no such file, and a process may have been killed while it was written.
  if (isAbsolute(target)) return target;
  return loadApply(home, id).then(
    (record) => record.target,
    () => null,
  );
}

export async function listApplyIds(home: string): Promise<string[]> {
  try {
    return (await readdir(join(home, 'applies'))).filter((name) => ID.test(name)).sort();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

function notFound(id: string): WorkspaceError {
  return new WorkspaceError(`There is no applied patch ${id}.`, { code: 'APPLY_NOT_FOUND' });
}
