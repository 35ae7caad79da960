import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FOLDER_MODE } from '../defaults.js';
import type { Liveness } from '../process-identity.js';
import { exists } from './folder.js';
import { errnoOf, isMissing } from './storage-error.js';
import { writeFresh } from './write-atomic.js';
import type { LockRecord } from './writer-lock.js';

/**
 * What a process leaves in every folder it writes in: one small file under many names. A further name for a file costs a
 * fraction of a file, and a session is born with few enough of them already.
 */
export class OwnerNote {
  readonly #folder: string;
  readonly #record: () => LockRecord;
  readonly #ulid: () => string;
  #path: string | undefined;

  /** `root` is the folder of the sessions. */
  constructor(root: string, record: () => LockRecord, ulid: () => string) {
    this.#folder = notesIn(root);
    this.#record = record;
    this.#ulid = ulid;
  }

  /** Gives the note one more name, which must not exist yet. */
  linkTo(path: string): void {
    try {
      linkSync(this.#path ?? this.#write(), path);
    } catch (error) {
      if (!this.#isUsedUp(error)) throw error;
      linkSync(this.#write(), path);
    }
  }

  /** The names it was given stay. */
  remove(): void {
    if (this.#path !== undefined) rmSync(this.#path, { force: true });
    this.#path = undefined;
  }

  /** File systems bound how many names a file has (65,000 on ext4); and somebody may have tidied up. */
  #isUsedUp(error: unknown): boolean {
    return errnoOf(error) === 'EMLINK' || (isMissing(error) && !exists(this.#path ?? ''));
  }

  #write(): string {
    this.remove();
    mkdirSync(this.#folder, { recursive: true, mode: FOLDER_MODE });
    const path = join(this.#folder, this.#ulid());
    writeFresh(path, JSON.stringify(this.#record()));
    this.#path = path;
    return path;
  }
}

/** Removes the notes of processes that died. */
export function removeDeadNotes(root: string, liveness: Liveness): void {
  const folder = notesIn(root);
  if (!exists(folder)) return;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!isOfLiving(path, liveness)) rmSync(path, { force: true });
  }
}

function isOfLiving(path: string, liveness: Liveness): boolean {
  try {
    const { process } = JSON.parse(readFileSync(path, 'utf8')) as LockRecord;
    return liveness.isAlive(process);
  } catch (error) {
    // Half a note is of a process that is writing it now, or that died in the middle: it hurts nobody.
    if (error instanceof SyntaxError || isMissing(error)) return true;
    throw error;
  }
}

function notesIn(root: string): string {
  return join(root, '.owners');
}
