import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { amplifierHome } from './own-homes.js';
import { livenessOf, ownIdentity, ProcessIdentity } from './process-identity.js';

/** What is not there yet, in one folder of the write scope, while a command runs. */
export const Looked = z.object({
  root: z.string(),
  places: z.array(z.object({ root: z.string(), path: z.string(), missing: z.string() })),
  /** Repositories below it; null where they are not looked at. */
  repositories: z.array(z.string()).nullable(),
});
export type Looked = z.infer<typeof Looked>;

const Note = Looked.extend({ owner: ProcessIdentity });

/** Where no session may read or write: what stands there is ours. */
const notesFolder = () => join(amplifierHome(), 'commands');

/** Notes of one folder are found by their names. */
const nameOf = (root: string) => createHash('sha256').update(root).digest('hex').slice(0, 16);

/** Puts down what is looked at while a command runs, for whoever comes after a process that was killed. Gives the way to remove it. */
export async function noteLooked(looked: readonly Looked[]): Promise<() => Promise<void>> {
  const folder = notesFolder();
  const owner = ownIdentity();
  const files = looked.map(({ root }) => join(folder, `${nameOf(root)}-${randomUUID()}.json`));
  const remove = async () => {
    await Promise.all(files.map((file) => rm(file, { force: true })));
  };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await Promise.all(
    looked.map((one, at) =>
      writeFile(files[at] as string, JSON.stringify({ ...one, owner }), { mode: 0o600 }),
    ),
  );
  return remove;
}

/** What the notes of dead processes say of a folder. Each must be removed when it was dealt with. */
export async function leftNotes(root: string): Promise<{ looked: Looked; remove(): Promise<void> }[]> {
  const folder = notesFolder();
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      if (!name.startsWith(nameOf(root))) return [];
      const file = join(folder, name);
      const remove = () => rm(file, { force: true });
      const note = await readFile(file, 'utf8').then(parsed, () => null);
      // One that is being written at this moment has a living owner.
      if (note?.root !== root || livenessOf(note.owner) !== 'dead') return [];
      return [{ looked: note, remove }];
    }),
  );
  return found.flat();
}

function parsed(text: string): z.infer<typeof Note> | null {
  try {
    return Note.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
