import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ChangeKeeper } from '@amplifier/modules';
import { type FolderChange, FolderSnapshots, listWork } from '@amplifier/workspace';
import type { HostPaths } from '../host-paths.js';

/** One change of a file by a tool or a command. */
export interface KeptChange {
  path: string;
  /** The name of the file with the content it had; null when there was no file; absent when it was too large to be kept. */
  before?: string | null;
  /** Digest of what was written; null when the file was removed. */
  after: string | null;
  /** The permissions it had. Absent where a tool wrote it: then they stay. */
  mode?: number;
}

const LOG = 'changes.jsonl';
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
  let snapshots: FolderSnapshots | null = null;
  const makeFolder = async () => {
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (made !== undefined) await forgetOldest(dirname(folder));
  };
  const append = async (kept: KeptChange, content: Buffer | null) => {
    await makeFolder();
    if (content && kept.before) await writeFile(join(folder, kept.before), content, { mode: 0o600 });
    await appendFile(join(folder, LOG), `${JSON.stringify(kept)}\n`, { mode: 0o600 });
  };
  const keepChange = async ({ place: path, before, after, content }: FolderChange) => {
    const [old, now] = [before, after].map((entry) => (entry?.type === 'file' ? entry : null));
    const kept = { path, after: now?.sha256 ?? null };
    const isLink = before?.type === 'symlink' || after?.type === 'symlink';
    if (isLink || (old && !content)) await append(kept, null);
    else if (old) await append({ ...kept, before: old.sha256, mode: old.mode }, content);
    else if (now) await append({ ...kept, before: null }, null);
  };
  return {
    begin() {
      // Most turns change nothing, and leave nothing to remove.
      begun = existsSync(folder) ? rm(folder, { recursive: true, force: true }) : Promise.resolve();
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
      await makeFolder();
      snapshots ??= openSnapshots(join(folder, `snapshots-${randomUUID()}`), cwd);
      const kept = snapshots;
      const before = await kept.keep();
      return async () => {
        for await (const change of kept.changes(before, await kept.take())) await keepChange(change);
      };
    },
  };
}

function openSnapshots(store: string, cwd: string): FolderSnapshots {
  return new FolderSnapshots(store, listWork(cwd, store));
}

async function forgetOldest(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  if (names.length <= MAX_CONVERSATIONS) return;
  const aged = await Promise.all(
    names.map(async (name) => ({
      name,
      at: (await stat(join(folder, name)).catch(() => null))?.mtimeMs ?? 0,
    })),
  );
  const oldest = aged.sort((a, b) => a.at - b.at).slice(0, names.length - MAX_CONVERSATIONS);
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
