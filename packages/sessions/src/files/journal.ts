import { constants, fstatSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FILE_MODE } from '../defaults.js';
import { appendAll, closeFd, openFd, syncData, writeAllAt } from './descriptor.js';
import { exists } from './folder.js';
import { errnoOf, isMissing, onDisk } from './storage-error.js';
import { syncFolder } from './write-atomic.js';

interface Waiting {
  text: string;
  sync: boolean;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Without O_CREAT: a segment that was folded away meanwhile must not come back. */
const APPEND = constants.O_WRONLY | constants.O_APPEND;

/** What follows this line in a segment does not count. */
export const SEAL = '{"sealed":true}';

/**
 * A log that several processes append to, in segments `<name>.<n>.jsonl`, with one order of lines for everybody. Making
 * the next segment ends the one before: it is sealed, and only what stands before the seal counts. A writer that finds a
 * newer segment after its write repeats the write there, so a line may come twice, and what is read must be folded in a
 * way that does not mind.
 */
export class Journal {
  readonly folder: string;
  readonly #name: string;
  #segment = 0;
  #fd: number | undefined;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  #own = { segment: 0, bytes: 0 };

  constructor(folder: string, name: string) {
    this.folder = folder;
    this.#name = name;
  }

  path(segment: number): string {
    return join(this.folder, `${this.#name}.${segment}.jsonl`);
  }

  /** The numbers of the segments there are, lowest first. Makes the first one when there is none. */
  async segments(): Promise<number[]> {
    const prefix = `${this.#name}.`;
    for (;;) {
      const found = [];
      for (const file of await readdir(this.folder)) {
        if (!file.startsWith(prefix) || !file.endsWith('.jsonl')) continue;
        const segment = Number(file.slice(prefix.length, -'.jsonl'.length));
        if (Number.isInteger(segment) && segment > 0) found.push(segment);
      }
      if (found.length > 0) return found.sort((a, b) => a - b);
      await this.begin(1);
    }
  }

  /** Makes a segment. False when another process has made it already. */
  async begin(segment: number): Promise<boolean> {
    try {
      await closeFd(await openFd(this.path(segment), 'wx', FILE_MODE));
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') return false;
      throw error;
    }
    await syncFolder(this.folder);
    return true;
  }

  /** Ends a segment whose successor exists. Sealing twice does no harm; a segment that is gone was sealed before. */
  async seal(segment: number): Promise<void> {
    try {
      const fd = await openFd(this.path(segment), APPEND);
      try {
        await appendAll(fd, Buffer.from(`\n${SEAL}\n`));
      } finally {
        await closeFd(fd);
      }
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  async remove(segment: number): Promise<void> {
    await rm(this.path(segment), { force: true });
  }

  /** Appends lines, each a JSON text. With `sync` it resolves when they are on disk, else when other processes see them. */
  append(lines: readonly string[], { sync }: { sync: boolean }): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text: `${lines.join('\n')}\n`, sync, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  /** The segment that this process writes to; 0 before it has written. */
  get segment(): number {
    return this.#segment;
  }

  /** True when all that was appended has been written. */
  get isIdle(): boolean {
    return this.#flushing === undefined;
  }

  /** What this process has written to its newest segment since the last call. */
  takeOwn(): { segment: number; bytes: number } {
    const own = this.#own;
    this.#own = { segment: own.segment, bytes: 0 };
    return own;
  }

  async close(): Promise<void> {
    await this.#flushing;
    await this.#leave();
  }

  async #flush(): Promise<void> {
    await null;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        // The leading line break keeps half a line, left by a process that died in the middle of it, to itself.
        const bytes = Buffer.from(`\n${batch.map(({ text }) => text).join('')}`);
        const sync = batch.some((waiting) => waiting.sync);
        await onDisk('append to', this.path(this.#segment), () => this.#write(bytes, sync));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#flushing = undefined;
  }

  async #write(bytes: Buffer, sync: boolean): Promise<void> {
    for (;;) {
      const fd = await this.#open();
      writeAllAt(fd, bytes, null);
      this.#count(bytes.length);
      if (sync) await syncData(fd);
      // Whoever folds segments away makes the next one first, so a segment that still has its name afterwards was the last.
      if (!exists(this.path(this.#segment + 1)) && fstatSync(fd).nlink > 0) return;
      await this.#leave();
    }
  }

  #count(bytes: number): void {
    if (this.#own.segment !== this.#segment) this.#own = { segment: this.#segment, bytes: 0 };
    this.#own.bytes += bytes;
  }

  async #open(): Promise<number> {
    while (this.#fd === undefined) {
      this.#segment = (await this.segments()).at(-1) ?? 1;
      try {
        this.#fd = await openFd(this.path(this.#segment), APPEND);
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    }
    return this.#fd;
  }

  async #leave(): Promise<void> {
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) await closeFd(fd);
  }
}
