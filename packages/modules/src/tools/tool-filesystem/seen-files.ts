import { createHash } from 'node:crypto';
import { appendFile, type FileHandle, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Grant, openInside } from '@amplifier/workspace';
import { SEEN_FILES, SEEN_TEXT_BYTES } from '../defaults.js';
import { ToolError } from '../tool-error.js';
import type { FileVersion } from './replace-file.js';

interface SeenFile {
  /** Of the file itself, as long as nobody touches it. */
  stamp: string;
  /** Null for what is too large. */
  digest: string | null;
  /** Kept for as long as the turn runs, where it is not too large. */
  text: string | null;
}

/** Where a session keeps what it has seen for its later turns: never what is in a file, which may be a secret. */
const FILE = 'seen-files.jsonl';

/**
 * What a session has seen of each file, so that it never writes over something it has not: a sibling, a person or a command may
 * have changed the file since, also between two turns. Files are known by their real path; the oldest are forgotten first.
 */
export class SeenFiles {
  readonly #seen = new Map<string, SeenFile>();
  readonly #folder: () => string | null;
  #earlier: Promise<Map<string, SeenFile>> | null = null;

  /** `folder` is the session's own, from turn to turn; null where it has none. */
  constructor(folder: () => string | null) {
    this.#folder = folder;
  }

  /** Call it with the file still open, after it was read or written. */
  async note(path: string, file: FileHandle): Promise<void> {
    const now = await file.stat({ bigint: true });
    const text = now.size > BigInt(SEEN_TEXT_BYTES) ? null : await wholeText(file, Number(now.size));
    const seen = { stamp: stampOf(now), text, digest: text === null ? null : digestOf(text) };
    this.#seen.delete(path);
    this.#seen.set(path, seen);
    await this.#keep(path, seen);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > SEEN_FILES && oldest !== undefined) this.#seen.delete(oldest);
  }

  /** After a write of our own. */
  async noteWritten(path: string, grant: Grant): Promise<void> {
    // What the session may write but not read, it has not seen.
    const file = await openIfThere(path, grant).catch(() => null);
    if (file) await this.note(path, file).finally(() => file.close());
    else {
      this.#seen.delete(path);
      await this.#keep(path, null);
    }
  }

  /** Throws when the file is not what the session saw last, with what changed. A file it never saw is not its business. */
  async requireUnchanged(path: string, grant: Grant): Promise<void> {
    const seen = this.#seen.get(path) ?? (await this.#seenBefore()).get(path);
    if (!seen) return;
    const file = await openIfThere(path, grant);
    if (!file) throw changed(path, 'it was removed');
    try {
      const now = await file.stat({ bigint: true });
      if (stampOf(now) === seen.stamp) return;
      const text = now.size > BigInt(SEEN_TEXT_BYTES) ? null : await wholeText(file, Number(now.size));
      if (text !== null && digestOf(text) === seen.digest) return;
      throw changed(path, await describeChange(seen, text));
    } finally {
      await file.close();
    }
  }

  async #keep(path: string, seen: SeenFile | null): Promise<void> {
    const folder = this.#folder();
    if (folder === null) return;
    const line = JSON.stringify([path, seen?.stamp ?? null, seen?.digest ?? null]);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await appendFile(join(folder, FILE), `${line}\n`, { mode: 0o600 });
  }

  #seenBefore(): Promise<Map<string, SeenFile>> {
    this.#earlier ??= this.#read();
    return this.#earlier;
  }

  async #read(): Promise<Map<string, SeenFile>> {
    const folder = this.#folder();
    const found = new Map<string, SeenFile>();
    const kept = folder === null ? '' : await readFile(join(folder, FILE), 'utf8').catch(orNothing);
    // A process may have died in the middle of the last line.
    for (const line of kept.split('\n').slice(0, -1)) {
      const [path, stamp, digest] = JSON.parse(line) as [string, string | null, string | null];
      if (stamp === null) found.delete(path);
      else found.set(path, { stamp, digest, text: null });
    }
    return found;
  }
}

function orNothing(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}

function stampOf({ ino, size, mtimeNs }: FileVersion): string {
  return `${ino}:${size}:${mtimeNs}`;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

async function wholeText(file: FileHandle, size: number): Promise<string> {
  const buffer = Buffer.alloc(size);
  const { bytesRead } = await file.read(buffer, 0, size, 0);
  return buffer.toString('utf8', 0, bytesRead);
}

async function openIfThere(path: string, grant: Grant): Promise<FileHandle | null> {
  try {
    return await openInside(grant, 'read', path, { cwd: dirname(path) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

const SHOWN_LINES = 40;

async function describeChange({ text: before, digest }: SeenFile, after: string | null): Promise<string> {
  if (before === null && digest !== null) return 'That was in an earlier turn, so how is not known';
  if (before === null || after === null) return 'it is too large to show how';
  const { createTwoFilesPatch } = await import('diff');
  const [, , , ...lines] = createTwoFilesPatch('', '', before, after, '', '', { context: 1 }).split('\n');
  const more = lines.length - SHOWN_LINES;
  return ['what changed:', ...lines.slice(0, SHOWN_LINES), ...(more > 0 ? [`… and ${more} more lines`] : [])]
    .join('\n')
    .trimEnd();
}

function changed(path: string, what: string): ToolError {
  return new ToolError(
    'FILE_CHANGED',
    `${path} was changed by somebody else since this session last saw it; nothing was written. Read it again, then decide. ${what}`,
    { retryable: true },
  );
}
