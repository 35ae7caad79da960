import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Grant, openInside } from '@amplifier/workspace';
import { SEEN_FILES, SEEN_TEXT_BYTES } from '../defaults.js';
import { ToolError } from '../tool-error.js';
import type { FileVersion } from './replace-file.js';

interface SeenFile {
  version: FileVersion;
  /** Null for what is too large to keep. */
  text: string | null;
}

/**
 * What a session has seen of each file, so that it never writes over something it has not: a sibling, a person or a command may
 * have changed the file since. Files are known by their real path; the oldest are forgotten first.
 */
export class SeenFiles {
  readonly #seen = new Map<string, SeenFile>();

  /** Call it with the file still open, after it was read or written. */
  async note(path: string, file: FileHandle): Promise<void> {
    const version = await file.stat({ bigint: true });
    const text = version.size > BigInt(SEEN_TEXT_BYTES) ? null : await wholeText(file, Number(version.size));
    this.#seen.delete(path);
    this.#seen.set(path, { version, text });
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > SEEN_FILES && oldest !== undefined) this.#seen.delete(oldest);
  }

  /** After a write of our own. */
  async noteWritten(path: string, grant: Grant): Promise<void> {
    // What the session may write but not read, it has not seen.
    const file = await openIfThere(path, grant).catch(() => null);
    if (file) await this.note(path, file).finally(() => file.close());
    else this.#seen.delete(path);
  }

  /** Throws when the file is not what the session saw last, with what changed. A file it never saw is not its business. */
  async requireUnchanged(path: string, grant: Grant): Promise<void> {
    const seen = this.#seen.get(path);
    if (!seen) return;
    const file = await openIfThere(path, grant);
    if (!file) throw changed(path, 'it was removed');
    try {
      const now = await file.stat({ bigint: true });
      const { ino, size, mtimeNs } = seen.version;
      if (now.ino === ino && now.size === size && now.mtimeNs === mtimeNs) return;
      const text = now.size > BigInt(SEEN_TEXT_BYTES) ? null : await wholeText(file, Number(now.size));
      if (text !== null && text === seen.text) return;
      throw changed(path, await describeChange(seen.text, text));
    } finally {
      await file.close();
    }
  }
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

async function describeChange(before: string | null, after: string | null): Promise<string> {
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
