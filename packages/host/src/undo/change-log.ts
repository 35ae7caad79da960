import { createHash, randomUUID } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ChangeKeeper } from '@amplifier/modules';
import { type FileChange, FolderStates } from '@amplifier/workspace';
import type { HostPaths } from '../host-paths.js';

/** One change of a file by a tool or a command. */
export interface KeptChange {
  path: string;
  /** The name of the file with the content it had; null when there was no file; absent when it was too large to be kept. */
  before?: string | null;
  /** Digest of what was written; null when the file was removed. */
  after: string | null;
  /** Only the owner may have had the right to run it: then the file is put back as a program. */
  program?: true;
}

const LOG = 'changes.jsonl';
/** Modes as git has them. */
const LINK = '120000';
const PROGRAM = '100755';
/** Conversations whose last turn can be taken back; the oldest are forgotten first. */
const MAX_CONVERSATIONS = 100;

export function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Where the changes of a conversation's last turn are kept. */
export function changesFolder({ home }: Pick<HostPaths, 'home'>, root_id: string): string {
  return join(home, 'undo', root_id);
}

/**
 * Keeps what the tools and commands of one turn change in `cwd`, its children's included. `begin` forgets the turn before.
 * What commands change in files that git ignores, or outside the folder, is not kept.
 */
export function changeLog(folder: string, cwd: string): ChangeKeeper & { begin(): Promise<void> } {
  let begun: Promise<void> = Promise.resolve();
  let states: FolderStates | null = null;
  const append = async (kept: KeptChange, content: Buffer | null) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (content && kept.before) await writeFile(join(folder, kept.before), content, { mode: 0o600 });
    await appendFile(join(folder, LOG), `${JSON.stringify(kept)}\n`, { mode: 0o600 });
  };
  const keepChange = async (known: FolderStates, { path, before, after }: FileChange) => {
    const old = before && before.mode !== LINK ? await known.content(before) : null;
    const now = after && after.mode !== LINK ? await known.content(after) : null;
    const isLink = before?.mode === LINK || after?.mode === LINK;
    const program = before?.mode === PROGRAM ? { program: true as const } : {};
    const kept = { path, after: now && digestOf(now), ...(isLink ? {} : { before: old && digestOf(old) }) };
    await append({ ...kept, ...program }, old);
  };
  return {
    begin() {
      begun = rm(folder, { recursive: true, force: true }).then(() => forgetOldest(dirname(folder)));
      return begun;
    },
    async keep(path, before, after) {
      await begun;
      const name = before ? digestOf(before) : null;
      const kept = { path, after: digestOf(after), ...(before === undefined ? {} : { before: name }) };
      await append(kept, before ?? null);
    },
    async watchCommand() {
      await begun;
      states ??= new FolderStates(join(folder, `states-${randomUUID()}`), cwd);
      const known = states;
      const before = await known.take();
      return async () => {
        const after = await known.take();
        for (const change of await known.changes(before, after)) await keepChange(known, change);
      };
    },
  };
}

async function forgetOldest(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  if (names.length < MAX_CONVERSATIONS) return;
  const aged = await Promise.all(
    names.map(async (name) => ({
      name,
      at: (await stat(join(folder, name)).catch(() => null))?.mtimeMs ?? 0,
    })),
  );
  const oldest = aged.sort((a, b) => a.at - b.at).slice(0, names.length - MAX_CONVERSATIONS + 1);
  for (const { name } of oldest) await rm(join(folder, name), { recursive: true, force: true });
}

/** The changes in the order they were made. None when there are none. */
export async function readChanges(folder: string): Promise<KeptChange[]> {
  const text = await readFile(join(folder, LOG), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as KeptChange);
}
