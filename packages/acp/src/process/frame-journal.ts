import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, type Report, redactText } from '@amplifier/core';
import { JOURNAL_BYTES, JOURNALS_KEPT } from '../defaults.js';

const ENDING = '.jsonl';

/** Who sent a frame. */
export type FrameSender = 'agent' | 'client';

/**
 * Keeps what went to and fro between us and an agent in one turn: every frame as it came, in the order it came, one line of JSON
 * each with time and sender, without secrets. Bounded; what was left out is counted in the last line. It is there to look
 * into when an agent surprises: nothing is decided by it, nobody waits for it, and losing it loses no fact of the session.
 */
export class FrameJournal {
  readonly #file: WriteStream;
  readonly #clock: Clock;
  #pending: [time: number, from: FrameSender, line: string][] = [];
  #bytes = 0;
  #dropped = 0;

  constructor(file: string, clock: Clock, report: Report) {
    this.#clock = clock;
    this.#file = createWriteStream(file, { flags: 'a', mode: 0o600 });
    this.#file.on('error', (error) =>
      report({ level: 'warning', code: 'FRAMES_LOST', message: `${file}: ${error.message}`, error }),
    );
  }

  take(from: FrameSender, line: string): void {
    this.#bytes += line.length;
    if (this.#bytes > JOURNAL_BYTES) {
      this.#dropped += 1;
      return;
    }
    // Later, so that an answer never waits for it.
    if (this.#pending.length === 0) setImmediate(() => this.#write());
    this.#pending.push([this.#clock.now(), from, line]);
  }

  /** Resolves when everything is written; also when it could not be. */
  close(): Promise<void> {
    this.#write();
    if (this.#dropped > 0) this.#file.write(`${JSON.stringify({ dropped: this.#dropped })}\n`);
    return new Promise((resolve) => {
      this.#file.once('close', () => resolve());
      this.#file.end();
    });
  }

  #write(): void {
    const lines = this.#pending.map(([now, from, line]) => {
      const time = JSON.stringify(new Date(now).toISOString());
      const text = redactText(from === 'client' ? withoutServers(line) : line);
      // A line that is no message is kept as text.
      return `{"time":${time},"from":"${from}","frame":${isObject(text) ? text : JSON.stringify(text)}}\n`;
    });
    this.#pending = [];
    if (lines.length > 0 && !this.#file.destroyed) this.#file.write(lines.join(''));
  }
}

/** Where journals are kept: one file for each turn, the oldest of them removed when there are many. */
export class FrameJournals {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #report: Report;
  readonly #closing = new Set<Promise<void>>();
  #made: Promise<unknown> | undefined;

  constructor(folder: string, clock: Clock, report: Report) {
    this.#folder = folder;
    this.#clock = clock;
    this.#report = report;
  }

  /** Begins the journal of a turn. The id must be one of a session. */
  async open(session_id: string, turn: number): Promise<FrameJournal> {
    this.#made ??= mkdir(this.#folder, { recursive: true, mode: 0o700 }).then(() => this.#prune());
    await this.#made;
    return new FrameJournal(join(this.#folder, `${session_id}.${turn}${ENDING}`), this.#clock, this.#report);
  }

  /** Nobody waits for the writing of a journal but `close`. */
  finish(journal: FrameJournal): void {
    const closing: Promise<void> = journal.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  async close(): Promise<void> {
    await Promise.all(this.#closing);
  }

  async #prune(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => name.endsWith(ENDING));
    if (names.length <= JOURNALS_KEPT) return;
    const aged = await Promise.all(
      names.map(async (name) => ({ name, age: (await stat(join(this.#folder, name))).mtimeMs })),
    );
    const oldest = aged.sort((a, b) => a.age - b.age).slice(0, names.length - JOURNALS_KEPT);
    for (const { name } of oldest) await rm(join(this.#folder, name), { force: true });
  }
}

/** What we send: servers that are forwarded come with their keys; which they were is enough. */
function withoutServers(line: string): string {
  if (!line.includes('"mcpServers":[{')) return line;
  const frame = JSON.parse(line) as { params: { mcpServers: { name: string }[] } };
  const mcpServers = frame.params.mcpServers.map(({ name }) => ({ name }));
  return JSON.stringify({ ...frame, params: { ...frame.params, mcpServers } });
}

function isObject(text: string): boolean {
  if (!text.startsWith('{')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
