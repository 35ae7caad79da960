import { randomBytes } from 'node:crypto';
import { chmod, link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DaemonHome, Environment } from '../config.js';
import { FILE_MODE } from '../defaults.js';

export interface Token {
  token: string;
  /** Made just now: the one moment to print it. */
  created: boolean;
}

/** The secret every request carries: `AMPLIFIERD_TOKEN`, else the one in `<home>/token`, made on first use. */
export async function loadToken({ home }: DaemonHome, environment: Environment): Promise<Token> {
  const given = environment.AMPLIFIERD_TOKEN?.trim();
  if (given) return { token: given, created: false };
  const path = join(home, 'token');
  const known = await readToken(path);
  if (known !== null) return { token: known, created: false };
  const token = randomBytes(32).toString('base64url');
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  await writeFile(draft, `${token}\n`, { mode: FILE_MODE, flag: 'wx' });
  try {
    // Two first starts at once: the name is given once, and the other one reads it.
    await link(draft, path);
    return { token, created: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const other = await readToken(path);
    if (other !== null) return { token: other, created: false };
    await rename(draft, path);
    return { token, created: true };
  } finally {
    await rm(draft, { force: true });
  }
}

async function readToken(path: string): Promise<string | null> {
  try {
    const token = (await readFile(path, 'utf8')).trim();
    await chmod(path, FILE_MODE);
    return token || null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
