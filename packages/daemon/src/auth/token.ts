import { randomBytes } from 'node:crypto';
import { chmod, link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AmplifierError } from '@amplifier/core';
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
  if (given) return { token: checkToken(given, 'AMPLIFIERD_TOKEN'), created: false };
  const path = join(home, 'token');
  const { value, created } = await keptSecret(path, () => randomBytes(32).toString('base64url'));
  return { token: checkToken(value, path), created };
}

/** Requests with any other characters in their token are refused (RFC 6750). */
function checkToken(token: string, origin: string): string {
  if (/^[\w.~+/-]+=*$/.test(token)) return token;
  throw new AmplifierError(
    `The token in ${origin} has characters that a bearer token cannot have. Use letters, digits and -._~+/ only.`,
    { code: 'INVALID_CONFIG', origin },
  );
}

/**
 * The name under which browsers on this machine know the daemon. Cookies know no port, so whoever knows the name could have them sent
 * to a server of its own: a part of it is told to nobody but by the links that sign in.
 */
export async function loadLocalName({ home }: DaemonHome): Promise<string> {
  const { value } = await keptSecret(join(home, 'browser-name'), () => randomBytes(10).toString('hex'));
  return `${value}.amplifier.localhost`;
}

/** What a file holds, made on first use. */
async function keptSecret(path: string, make: () => string): Promise<{ value: string; created: boolean }> {
  const known = await readSecret(path);
  if (known !== null) return { value: known, created: false };
  const value = make();
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  await writeFile(draft, `${value}\n`, { mode: FILE_MODE, flag: 'wx' });
  try {
    // Two first starts at once: the name is given once, and the other one reads it.
    await link(draft, path);
    return { value, created: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const other = await readSecret(path);
    if (other !== null) return { value: other, created: false };
    await rename(draft, path);
    return { value, created: true };
  } finally {
    await rm(draft, { force: true });
  }
}

async function readSecret(path: string): Promise<string | null> {
  try {
    const secret = (await readFile(path, 'utf8')).trim();
    await chmod(path, FILE_MODE);
    return secret || null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
