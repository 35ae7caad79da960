import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPlainObject } from '@amplifier/core';
import type { ActingPart } from './acting-parts.js';

/** What a person saw when they trusted a folder. */
export interface TrustNote {
  digest: string;
  parts: ActingPart[];
  /** The digest of what they said no to; they are not asked about that again. */
  refused?: string;
}

/** One file for each folder, so that nobody waits for anybody. */
function fileOf(home: string, folder: string): string {
  return join(home, 'trust', `${createHash('sha256').update(folder).digest('hex').slice(0, 32)}.json`);
}

/** The note of a folder by its real path, or null. One that cannot be read notes nothing: the person is asked again. */
export async function readNote(home: string, folder: string): Promise<TrustNote | null> {
  const text = await readFile(fileOf(home, folder), 'utf8').catch(() => 'null');
  const note = parsed(text);
  if (!isPlainObject(note) || note.folder !== folder || typeof note.digest !== 'string') return null;
  const { digest, parts, refused } = note;
  return {
    digest,
    parts: Array.isArray(parts) ? parts : [],
    ...(typeof refused === 'string' ? { refused } : {}),
  };
}

export async function writeNote(home: string, folder: string, note: TrustNote): Promise<void> {
  const file = fileOf(home, folder);
  await mkdir(join(home, 'trust'), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${JSON.stringify({ folder, ...note }, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
}

export async function removeNote(home: string, folder: string): Promise<void> {
  await rm(fileOf(home, folder), { force: true });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
