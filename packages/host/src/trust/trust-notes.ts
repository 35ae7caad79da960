import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPlainObject, type JsonObject } from '@amplifier/core';
import type { ActingPart } from './acting-parts.js';

/** What a person saw when they trusted a folder. */
export interface TrustNote {
  digest: string;
  parts: ActingPart[];
  /** The files that took part, with their digests. */
  files?: Record<string, string>;
  /** The digest of what they said no to; they are not asked about that again. */
  refused?: string;
}

/** The note of a folder by its real path, or null. One that cannot be read notes nothing: the person is asked again. */
export async function readNote(home: string, folder: string): Promise<TrustNote | null> {
  const note = await readTrustFile(home, folder);
  if (note === null || note.folder !== folder || typeof note.digest !== 'string') return null;
  const { digest, parts, files, refused } = note;
  return {
    digest,
    parts: Array.isArray(parts) ? parts : [],
    ...(isPlainObject(files) ? { files: files as Record<string, string> } : {}),
    ...(typeof refused === 'string' ? { refused } : {}),
  };
}

export function writeNote(home: string, folder: string, note: TrustNote): Promise<void> {
  return writeTrustFile(home, folder, { ...note, folder });
}

export async function removeNote(home: string, folder: string): Promise<void> {
  await rm(trustFile(home, folder), { force: true });
}

/** One file for each subject, so that writers do not wait for each other. */
export function trustFile(home: string, subject: string): string {
  return join(home, 'trust', `${createHash('sha256').update(subject).digest('hex').slice(0, 32)}.json`);
}

/** What was written for a subject. Null if nothing was; empty if it cannot be read. */
export async function readTrustFile(home: string, subject: string): Promise<JsonObject | null> {
  const text = await readFile(trustFile(home, subject), 'utf8').catch((error) =>
    (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : '',
  );
  if (text === null) return null;
  const value = parsed(text);
  return isPlainObject(value) ? value : {};
}

export async function writeTrustFile(home: string, subject: string, value: JsonObject): Promise<void> {
  const file = trustFile(home, subject);
  await mkdir(join(home, 'trust'), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
