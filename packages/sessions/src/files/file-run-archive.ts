import { closeSync, fstatSync, openSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArchivedRuns, RunArchive, RunMatch, StoredRun } from '../run-archive.js';
import type { RunStatus } from '../run-queue.js';
import { readAtOnce } from './descriptor.js';
import { corrupt, isMissing } from './storage-error.js';
import { writeAtomic } from './write-atomic.js';

const NAME = /^ended\.(\d+)\.jsonl$/;
const STATUSES: readonly RunStatus[] = ['finished', 'cancelled', 'abandoned'];

/** What is kept in memory of one run: five numbers. Rows are in the order of the first. */
const [ID, SESSION, SEQ, STATUS, OFFSET, WIDTH] = [0, 1, 2, 3, 4, 5];

interface ArchiveFile extends ArchivedRuns {
  rows: Uint32Array;
}

interface Place {
  file: ArchiveFile;
  seq: number;
  offset: number;
}

/** Ended runs in files that never change: a line for each run, and in the last line the index. */
export class FileRunArchive implements RunArchive {
  readonly #folder: string;
  #files: ArchiveFile[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  get files(): ArchivedRuns[] {
    return this.#files.map(({ rows: _, ...file }) => file);
  }

  restore(files: readonly ArchivedRuns[]): void {
    const known = new Map(this.#files.map((file) => [file.number, file]));
    this.#keep(files.map((file) => known.get(file.number) ?? { ...file, rows: this.#readIndex(file) }));
  }

  async add(number: number, runs: readonly StoredRun[], keepSince: string): Promise<void> {
    await this.#removeUnknown();
    const kept = this.#files.filter(({ until }) => until > keepSince);
    if (runs.length > 0) kept.push(await this.#write(number, runs));
    this.#keep(kept);
  }

  get(run_id: string): StoredRun | undefined {
    const wanted = hash(run_id);
    for (const file of this.#files) {
      const { rows } = file;
      for (let at = firstAtLeast(rows, wanted); rows[at + ID] === wanted; at += WIDTH) {
        const run = this.#readRun(file, rows[at + OFFSET] as number);
        if (run?.run_id === run_id) return run;
      }
    }
    return undefined;
  }

  *newestFirst(match: RunMatch): Generator<StoredRun> {
    let found: Place[] = [];
    for (const [at, file] of this.#files.entries()) {
      found = [...found, ...places(file, match)].sort((a, b) => b.seq - a.seq);
      const older = this.#files[at + 1]?.last_seq ?? 0;
      let passed = 0;
      for (const { file: holder, seq, offset } of found) {
        if (seq <= older) break;
        passed++;
        const run = this.#readRun(holder, offset);
        if (run) yield run;
      }
      found = found.slice(passed);
    }
  }

  /** Those with the newest runs first. */
  #keep(files: ArchiveFile[]): void {
    this.#files = files.sort((a, b) => b.last_seq - a.last_seq);
  }

  async #write(number: number, runs: readonly StoredRun[]): Promise<ArchiveFile> {
    const lines: string[] = [];
    const entries: number[][] = [];
    let [offset, until, last_seq] = [0, '', 0];
    for (const run of runs) {
      const line = `${JSON.stringify(run)}\n`;
      entries.push([hash(run.run_id), hash(run.session_id), run.seq, STATUSES.indexOf(run.status), offset]);
      lines.push(line);
      offset += Buffer.byteLength(line);
      last_seq = Math.max(last_seq, run.seq);
      if ((run.ended ?? '') > until) until = run.ended ?? '';
    }
    const rows = Uint32Array.from(entries.sort(([a = 0], [b = 0]) => a - b).flat());
    lines.push(`${JSON.stringify({ index: Buffer.from(rows.buffer).toString('base64') })}\n`);
    await writeAtomic(this.#path(number), lines.join(''));
    return { number, until, last_seq, index_at: offset, rows };
  }

  /** What a process left that died while it wrote, and what has been dropped some time ago. */
  async #removeUnknown(): Promise<void> {
    const known = new Set(this.#files.map(({ number }) => number));
    for (const name of await readdir(this.#folder)) {
      const number = NAME.exec(name)?.[1];
      if (number !== undefined && !known.has(Number(number)))
        await rm(join(this.#folder, name), { force: true });
    }
  }

  #readIndex({ number, index_at }: ArchivedRuns): Uint32Array {
    const path = this.#path(number);
    try {
      const fd = openSync(path, 'r');
      try {
        const { index } = JSON.parse(readAtOnce(fd, index_at, fstatSync(fd).size - index_at).toString());
        return new Uint32Array(new Uint8Array(Buffer.from(index, 'base64')).buffer);
      } finally {
        closeSync(fd);
      }
    } catch (error) {
      throw corrupt(path, null, 'the list of its runs cannot be read', error);
    }
  }

  /** Undefined when the file is gone: its runs are older than runs are kept. */
  #readRun(file: ArchiveFile, offset: number): StoredRun | undefined {
    const path = this.#path(file.number);
    try {
      const fd = openSync(path, 'r');
      try {
        return JSON.parse(readLine(fd, offset, file.index_at));
      } finally {
        closeSync(fd);
      }
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw corrupt(path, null, 'a run in it cannot be read', error);
    }
  }

  #path(number: number): string {
    return join(this.#folder, `ended.${number}.jsonl`);
  }
}

function* places(file: ArchiveFile, { session_id, statuses, after, before }: RunMatch): Generator<Place> {
  const { rows } = file;
  const session = session_id === undefined ? null : hash(session_id);
  for (let at = 0; at < rows.length; at += WIDTH) {
    const seq = rows[at + SEQ] as number;
    if (session !== null && rows[at + SESSION] !== session) continue;
    if (seq <= after || seq >= before) continue;
    if (statuses && !statuses.has(STATUSES[rows[at + STATUS] as number] as RunStatus)) continue;
    yield { file, seq, offset: rows[at + OFFSET] as number };
  }
}

/** Where the first row stands whose hash is not below the wanted one. */
function firstAtLeast(rows: Uint32Array, wanted: number): number {
  let [low, high] = [0, rows.length / WIDTH];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle * WIDTH] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low * WIDTH;
}

/** FNV-1a: what it mixes up is told apart by a look at the run. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

/** One read fits most runs. */
const LINE_BYTES = 4096;

function readLine(fd: number, offset: number, end: number): string {
  for (let length = LINE_BYTES; ; length *= 2) {
    const bytes = readAtOnce(fd, offset, Math.min(length, end - offset));
    const newline = bytes.indexOf(10);
    if (newline >= 0) return bytes.toString('utf8', 0, newline);
    if (length >= end - offset) throw new Error('The line has no end.');
  }
}
