import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, isoTime, sleep } from '@amplifier/core';
import { FETCH_ATTEMPTS, FETCH_RETRY_MS, REVISION_MAX_AGE_MS, TEMP_MAX_AGE_MS } from '../defaults.js';
import { FoundationError } from '../errors.js';
import type { FetchContext, SourceFetcher } from './source-fetcher.js';
import type { SourceUri } from './source-uri.js';

/** A revision on disk. Its folder is complete and is never written to again. */
export interface CachedSource {
  folder: string;
  revision: string;
  /** The place did not answer; this is what it held when last asked. */
  stale: boolean;
  /** The revision the place has now, where the caller keeps to an earlier one. */
  newer: string | null;
  /** No earlier revision was known. */
  isFirst: boolean;
}

interface SeenRevision {
  revision: string;
  checked_at: string;
  /** Missing in files of earlier versions. */
  source?: string;
}

const REVISION = /^[A-Za-z0-9][A-Za-z0-9.+-]{0,127}$/;

/**
 * Keeps fetched sources: `<root>/<place>/<revision>/`. A folder gets its name only when it is whole, by a rename, so
 * that a killed fetch leaves nothing and two processes that fetch the same leave one.
 */
export class SourceCache {
  readonly #root: string;
  readonly #clock: Clock;
  readonly #maxAgeMs: number;
  #running = new Map<string, Promise<void>>();

  constructor(root: string, clock: Clock, maxAgeMs = REVISION_MAX_AGE_MS) {
    this.#root = root;
    this.#clock = clock;
    this.#maxAgeMs = maxAgeMs;
  }

  /** With `isHeld`, a revision that was fetched before is kept whatever the place has now. */
  async get(
    source: SourceUri,
    fetcher: SourceFetcher,
    context: FetchContext,
    { isHeld = false, maxAgeMs = this.#maxAgeMs }: { isHeld?: boolean; maxAgeMs?: number } = {},
  ): Promise<CachedSource> {
    const place = join(this.#root, placeName(source));
    const seenFile = join(place, 'seen', `${hash(source.ref ?? '')}.json`);
    const seen = await readSeen(seenFile);
    const kept = seen && (await exists(join(place, seen.revision))) ? seen : null;
    if (kept && this.#clock.now() - Date.parse(kept.checked_at) < maxAgeMs)
      return keptSource(place, kept.revision);
    const { revision, stale } = await askRevision(source, fetcher, context, kept);
    if (isHeld && kept && revision !== kept.revision)
      return { ...keptSource(place, kept.revision), newer: revision };
    const folder = join(place, revision);
    if (!(await exists(folder))) await this.#fetchOnce(folder, source, revision, fetcher, context);
    if (!stale) await this.#remember(seenFile, source, revision);
    return { folder, revision, stale, newer: null, isFirst: kept === null };
  }

  /** The sources that have a revision here, as they were written. */
  async sources(): Promise<string[]> {
    const places = await readdir(this.#root).catch(() => []);
    const files = await Promise.all(
      places.map(async (place) => {
        const seen = join(this.#root, place, 'seen');
        return (await readdir(seen).catch(() => [])).map((name) => join(seen, name));
      }),
    );
    const all = await Promise.all(files.flat().map(readSeen));
    return all.flatMap((seen) => seen?.source ?? []).sort();
  }

  async #remember(file: string, { text }: SourceUri, revision: string): Promise<void> {
    await mkdir(join(file, '..'), { recursive: true, mode: 0o700 });
    const { default: writeFileAtomic } = await import('write-file-atomic');
    await writeFileAtomic(file, JSON.stringify({ revision, checked_at: isoTime(this.#clock), source: text }));
  }

  /** Joins a fetch that runs already. When that one ends because its own caller gave up, this one starts over. */
  async #fetchOnce(
    folder: string,
    source: SourceUri,
    revision: string,
    fetcher: SourceFetcher,
    context: FetchContext,
  ): Promise<void> {
    for (let running = this.#running.get(folder); running; running = this.#running.get(folder)) {
      try {
        return await running;
      } catch (error) {
        if (context.signal.aborted || error instanceof FoundationError) throw error;
      }
    }
    const own = this.#fetch(folder, source, revision, fetcher, context).finally(() =>
      this.#running.delete(folder),
    );
    this.#running.set(folder, own);
    return own;
  }

  async #fetch(
    folder: string,
    source: SourceUri,
    revision: string,
    fetcher: SourceFetcher,
    context: FetchContext,
  ): Promise<void> {
    await this.#removeLeftovers();
    for (let attempt = 1; ; attempt++) {
      const unfinished = join(this.#root, 'unfinished', randomUUID());
      await mkdir(unfinished, { recursive: true, mode: 0o700 });
      try {
        await fetcher.fetch(source, revision, unfinished, context);
        await publish(unfinished, folder);
        return;
      } catch (error) {
        const passing = error instanceof FoundationError && error.retryable;
        if (!passing || attempt === FETCH_ATTEMPTS) throw error;
        await sleep(this.#clock, FETCH_RETRY_MS * 2 ** (attempt - 1), context.signal);
      } finally {
        await rm(unfinished, { recursive: true, force: true });
      }
    }
  }

  /** What killed fetches left behind, once it is old enough that nobody can still be writing it. */
  async #removeLeftovers(): Promise<void> {
    const unfinished = join(this.#root, 'unfinished');
    for (const name of await readdir(unfinished).catch(() => [])) {
      const path = join(unfinished, name);
      const changed = await stat(path).then(
        (stats) => stats.mtimeMs,
        () => Number.POSITIVE_INFINITY,
      );
      if (this.#clock.now() - changed > TEMP_MAX_AGE_MS) await rm(path, { recursive: true, force: true });
    }
  }
}

function keptSource(place: string, revision: string): CachedSource {
  return { folder: join(place, revision), revision, stale: false, newer: null, isFirst: false };
}

/** What the place holds; when it does not answer, what it held before. */
async function askRevision(
  source: SourceUri,
  fetcher: SourceFetcher,
  context: FetchContext,
  kept: SeenRevision | null,
): Promise<{ revision: string; stale: boolean }> {
  try {
    const revision = await fetcher.revision(source, context);
    if (!REVISION.test(revision)) throw badRevision(source, revision);
    return { revision, stale: false };
  } catch (error) {
    if (kept && isUnreachable(error)) return { revision: kept.revision, stale: true };
    throw error;
  }
}

/** The rename fails where another process was first; what it put there is the same revision. */
async function publish(unfinished: string, folder: string): Promise<void> {
  await mkdir(join(folder, '..'), { recursive: true, mode: 0o700 });
  try {
    await rename(unfinished, folder);
  } catch (error) {
    if (!(await exists(folder))) throw error;
  }
}

function isUnreachable(error: unknown): boolean {
  return error instanceof FoundationError && ['SOURCE_UNREACHABLE', 'SOURCE_TIMEOUT'].includes(error.code);
}

function badRevision({ text }: SourceUri, revision: string): FoundationError {
  return new FoundationError(`The fetcher of ${text} answered '${revision}', which is not a revision.`, {
    code: 'SOURCE_FAILED',
    origin: text,
  });
}

/** A name a person can read, and a digest that tells places of one name apart. */
function placeName({ scheme, location }: SourceUri): string {
  const readable = location
    .replace(/[?].*$/, '')
    .replace(/\.git$/, '')
    .split('/')
    .findLast((part) => part !== '');
  return `${(readable ?? 'source').replace(/[^\w.-]/g, '_').slice(0, 40)}-${hash(`${scheme} ${location}`)}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

async function readSeen(file: string): Promise<SeenRevision | null> {
  try {
    const seen: unknown = JSON.parse(await readFile(file, 'utf8'));
    const { revision, checked_at } = seen as SeenRevision;
    return REVISION.test(revision) && !Number.isNaN(Date.parse(checked_at)) ? (seen as SeenRevision) : null;
  } catch {
    return null; // Not there or damaged: the place is asked again.
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
