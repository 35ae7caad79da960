import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { NAMED_PATHS } from '../defaults.js';
import { type Change, kindOfChange } from './change.js';

/** What a list of proposals shows of one. Stored beside its tree, so that a list compares no trees. */
const ListedChanges = z.object({
  changes: z.array(z.object({ path: z.string(), kind: z.enum(['added', 'deleted', 'modified']) })),
  /** Changes that `changes` leaves out. */
  more_changes: z.number(),
});
export type ListedChanges = z.infer<typeof ListedChanges>;

export function listChanges(changes: readonly Change[]): ListedChanges {
  const named = changes.slice(0, NAMED_PATHS);
  return {
    changes: named.map((change) => ({ path: change.path, kind: kindOfChange(change) })),
    more_changes: changes.length - named.length,
  };
}

export async function saveListed(file: string, listed: ListedChanges): Promise<void> {
  const { default: writeFileAtomic } = await import('write-file-atomic');
  await writeFileAtomic(file, JSON.stringify(listed), { mode: 0o600 });
}

/** Null if it was never stored, or cannot be read. */
export async function readListed(file: string): Promise<ListedChanges | null> {
  try {
    return ListedChanges.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return null;
  }
}
