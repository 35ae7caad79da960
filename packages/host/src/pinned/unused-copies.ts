import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Longer than a process goes on to load parts of a copy that is trusted no longer. */
const UNUSED_MS = 14 * DAY_MS;
/** A process that was killed while it made or removed a copy leaves a folder with a longer name. */
const UNFINISHED_MS = DAY_MS;

/** The copies of trusted modules in a home. */
export interface ModuleCopies {
  count: number;
  /** Those that no trust record names. */
  unused: string[];
}

/** What is below `modules` in the home, by what the trust records say. Rejects when one of them cannot be read. */
export async function listCopies(home: string): Promise<ModuleCopies> {
  const names = (await namesIn(modulesOf(home))).filter((name) => !name.includes('.'));
  if (names.length === 0) return { count: 0, unused: [] };
  const used = await referenced(home);
  return { count: names.length, unused: names.filter((name) => !used.has(name)) };
}

/** Says that a copy is used now. */
export async function noteUse(home: string, digest: string): Promise<void> {
  const path = join(modulesOf(home), digest);
  const found = await stat(path).catch(() => null);
  const now = new Date();
  if (found && now.getTime() - found.mtimeMs > DAY_MS) await utimes(path, now, now);
}

/**
 * Removes copies that no trust record names and that were not used for two weeks. One that another process is about to name again is
 * missing for it, which makes it again from the original. Removes nothing where a record cannot be read.
 */
export async function removeUnusedCopies(home: string, now = Date.now()): Promise<string[]> {
  const folder = modulesOf(home);
  const old: string[] = [];
  for (const name of await namesIn(folder)) {
    const found = await stat(join(folder, name)).catch(() => null);
    const age = found ? now - found.mtimeMs : 0;
    if (age > (name.includes('.') ? UNFINISHED_MS : UNUSED_MS)) old.push(name);
  }
  if (old.length === 0) return [];
  const used = await referenced(home);
  const unused = old.filter((name) => !used.has(name));
  for (const name of unused) {
    // No process sees a part of it.
    const doomed = join(folder, `${name}.${randomBytes(6).toString('hex')}`);
    await rename(join(folder, name), doomed);
    await rm(doomed, { recursive: true, force: true });
  }
  return unused;
}

async function referenced(home: string): Promise<Set<string>> {
  const folder = join(home, 'trust');
  const digests = new Set<string>();
  for (const name of (await namesIn(folder)).filter((each) => each.endsWith('.json'))) {
    const { digest } = JSON.parse(await readFile(join(folder, name), 'utf8')) as { digest?: unknown };
    if (typeof digest === 'string') digests.add(digest);
  }
  return digests;
}

function modulesOf(home: string): string {
  return join(home, 'modules');
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}
