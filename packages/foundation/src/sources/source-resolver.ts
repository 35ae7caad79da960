import { mkdir, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Clock, type Diagnostic, type Report, systemClock } from '@amplifier/core';
import { expandHome } from '../agents/agent-search-order.js';
import { MAX_SOURCE_BYTES, SOURCE_TIMEOUT_MS } from '../defaults.js';
import { confinedPath, pathWithin } from '../documents/confined-path.js';
import { FoundationError } from '../errors.js';
import { findPackage } from './find-package.js';
import { gitFetcher } from './git-fetcher.js';
import { archiveKind, checkedUrl, fileName, httpFetcher } from './http-fetcher.js';
import { npmFetcher } from './npm-fetcher.js';
import { SourceCache } from './source-cache.js';
import type { FetchContext, FetchProgress, SourceFetcher } from './source-fetcher.js';
import { isOnThisMachine, parseSource, type SourceUri } from './source-uri.js';

export interface SourceResolverOptions {
  /** Where fetched sources are kept, such as `~/.amplifier/cache`. */
  cacheDir: string;
  /** Further schemes. One that is built in can be replaced. */
  fetchers?: readonly SourceFetcher[];
  environment?: Readonly<Record<string, string | undefined>>;
  home?: string;
  clock?: Clock;
  /** Milliseconds for one source. */
  timeoutMs?: number;
  maxBytes?: number;
  /** Rejects for places that nothing may be fetched from, such as addresses of a private network. Default: none. */
  checkUrl?: (url: URL) => Promise<void>;
  /** How long to trust what a branch or URL held; 0 asks each time. */
  revisionMaxAgeMs?: number;
  /**
   * Keeps sources that are fetched from this machine at the revision they had when they were first used: sessions may commit there.
   * `how` says how to take a newer one, such as `run: amplifier trust .`. Null: the newest revision is used.
   */
  holdLocal?: { how: string } | null;
  onProgress?: (progress: FetchProgress) => void;
  report?: Report;
}

/** A source on this machine that has a newer revision than the one in use. */
export interface HeldSource {
  source: string;
  revision: string;
  newer: string;
}

/** A source on this machine. */
export interface ResolvedSource {
  source: string;
  /** The folder or file the source means, its subdirectory included. */
  path: string;
  /** The whole of what was fetched. Nothing read from the source may lie outside. */
  root: string;
  /** The commit, digest or version; null for a path of the user's own, which has none. */
  revision: string | null;
  /** The place could not be asked; this is what it held before. */
  stale: boolean;
}

/** Brings sources to this machine. The only thing in this package that uses the network. */
export class SourceResolver {
  readonly #options: Required<Omit<SourceResolverOptions, 'cacheDir' | 'fetchers' | 'revisionMaxAgeMs'>>;
  readonly #cache: SourceCache;
  readonly #programFolder: string;
  readonly #fetchers = new Map<string, SourceFetcher>();
  readonly #held = new Map<string, HeldSource>();

  constructor({ cacheDir, fetchers = [], revisionMaxAgeMs, ...options }: SourceResolverOptions) {
    this.#options = {
      environment: process.env,
      home: homedir(),
      clock: systemClock,
      timeoutMs: SOURCE_TIMEOUT_MS,
      maxBytes: MAX_SOURCE_BYTES,
      checkUrl: async () => {},
      holdLocal: null,
      onProgress: () => {},
      report: () => {},
      ...options,
    };
    this.#programFolder = resolve(cacheDir, 'programs');
    this.#cache = new SourceCache(cacheDir, this.#options.clock, revisionMaxAgeMs);
    for (const fetcher of [gitFetcher, httpFetcher, npmFetcher, ...fetchers]) {
      for (const scheme of fetcher.schemes) this.#fetchers.set(scheme, fetcher);
    }
  }

  /** Relative paths start at `baseDir`. Rejects with a `FoundationError`, or with the signal's reason when it aborts. */
  async resolve(text: string, baseDir: string, signal?: AbortSignal): Promise<ResolvedSource> {
    const source = parseSource(text);
    if (source.scheme === 'path') return this.#local(source, baseDir);
    if (source.scheme === 'package') return this.#installed(source, baseDir);
    const fetcher = this.#fetcherOf(source);
    const { report, holdLocal } = this.#options;
    const isLocal = isOnThisMachine(source);
    const { folder, revision, stale, newer, isFirst } = await this.#withinTime(source, signal, (context) =>
      this.#cache.get(source, fetcher, context, { isHeld: holdLocal !== null && isLocal }),
    );
    if (stale) report(staleNotice(source, revision));
    if (holdLocal && isLocal && isFirst) report(firstUse(source, revision));
    if (holdLocal && newer !== null && !this.#held.has(text)) {
      this.#held.set(text, { source: text, revision, newer });
      report(heldNotice(source, revision, newer, holdLocal.how));
    }
    const content = fetcher === httpFetcher ? join(folder, singleFile(source)) : folder;
    const path = await confinedPath(
      folder,
      source.subdirectory ? pathWithin(content, source.subdirectory) : content,
    ).catch((error) => Promise.reject(missingPart(error, source)));
    return { source: text, path, root: folder, revision, stale };
  }

  /** Uses the newer revision of a held source from now on. Rejects if the source has changed again since. */
  async take({ source: text, newer }: HeldSource): Promise<void> {
    const source = parseSource(text);
    const fetcher = this.#fetcherOf(source);
    await this.#withinTime(source, undefined, async (context) => {
      if ((await fetcher.revision(source, context)) !== newer) throw changedAgain(source);
      await this.#cache.get(source, fetcher, context, { maxAgeMs: 0 });
    });
    this.#held.delete(text);
  }

  /** Sources of this machine that have been used. */
  async localSources(): Promise<string[]> {
    return (await this.#cache.sources()).filter((text) => isOnThisMachine(parseSource(text)));
  }

  #fetcherOf(source: SourceUri): SourceFetcher {
    const fetcher = this.#fetchers.get(source.scheme);
    if (!fetcher) throw unknownScheme(source, [...this.#fetchers.keys()]);
    return fetcher;
  }

  /** Sources that were asked for and have newer revisions than those in use. */
  get held(): HeldSource[] {
    return [...this.#held.values()];
  }

  /** What a source on this machine means, whether or not it exists: a path, or `package NAME for FOLDER`. Null for one that is fetched. */
  localPlace(text: string, baseDir: string): string | null {
    const source = parseSource(text);
    const { scheme, location, subdirectory } = source;
    if (scheme === 'path') return this.#paths(source, baseDir).path;
    if (scheme !== 'package') return null;
    return `package ${[location, ...(subdirectory ? [subdirectory] : [])].join('/')} for ${baseDir}`;
  }

  #paths({ location, subdirectory }: SourceUri, baseDir: string): { root: string; path: string } {
    const root = resolve(baseDir, expandHome(location, this.#options.home));
    return { root, path: subdirectory ? pathWithin(root, subdirectory) : root };
  }

  async #local(source: SourceUri, baseDir: string): Promise<ResolvedSource> {
    const { root, path } = this.#paths(source, baseDir);
    await stat(path).catch((cause) => {
      throw new FoundationError(`${path} is not there. Check the path${foreignHint(source.location)}.`, {
        code: 'SOURCE_NOT_FOUND',
        origin: source.text,
        cause,
      });
    });
    return { source: source.text, path, root, revision: null, stale: false };
  }

  async #installed(source: SourceUri, baseDir: string): Promise<ResolvedSource> {
    const { location: name, subdirectory, text } = source;
    const found = await findPackage(name, baseDir);
    if (!found) {
      throw new FoundationError(
        `The package '${name}' is not installed for ${baseDir}. Run npm install ${name}, or write npm:${text} to have it fetched. A path begins with ./`,
        { code: 'SOURCE_NOT_FOUND', origin: text },
      );
    }
    const path = subdirectory ? await confinedPath(found.folder, subdirectory) : found.folder;
    return { source: text, path, root: found.folder, revision: found.version, stale: false };
  }

  async #makeProgramFolder(): Promise<string> {
    await mkdir(this.#programFolder, { recursive: true, mode: 0o700 });
    // npm takes the nearest folder with such a file for the project whose settings count.
    await writeFile(join(this.#programFolder, 'package.json'), '{}');
    return this.#programFolder;
  }

  async #withinTime<Result>(
    source: SourceUri,
    signal: AbortSignal | undefined,
    work: (context: FetchContext) => Promise<Result>,
  ): Promise<Result> {
    const { clock, environment, maxBytes, checkUrl, onProgress, timeoutMs } = this.#options;
    const late = new AbortController();
    const cancel = clock.after(timeoutMs, () => late.abort(timedOut(source, timeoutMs)));
    try {
      return await work({
        clock,
        environment,
        programFolder: () => this.#makeProgramFolder(),
        maxBytes,
        checkUrl,
        signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
        onProgress: (progress) => onProgress({ source: source.text, ...progress }),
      });
    } finally {
      cancel();
    }
  }
}

/** A URL that is no archive holds one file. */
function singleFile(source: SourceUri): string {
  const url = checkedUrl(source);
  return archiveKind(url, source.scheme) ? '.' : fileName(url);
}

function unknownScheme({ scheme, text }: SourceUri, known: string[]): FoundationError {
  return new FoundationError(
    `No fetcher for ${scheme}:// (in '${text}'). Supported are ${known.join(', ')} and paths; an app can add more.`,
    {
      code: 'INVALID_SOURCE',
      origin: text,
    },
  );
}

function missingPart(error: unknown, { text, subdirectory }: SourceUri): unknown {
  if (!(error instanceof FoundationError) || error.code !== 'FILE_NOT_FOUND') return error;
  return new FoundationError(
    `${text} was fetched, but it has no '${subdirectory}'. Check the subdirectory.`,
    {
      code: 'SOURCE_NOT_FOUND',
      origin: text,
    },
  );
}

function timedOut({ text }: SourceUri, timeoutMs: number): FoundationError {
  return new FoundationError(
    `Fetching ${text} took longer than ${Math.round(timeoutMs / 1000)} s. Try again, or allow more time.`,
    { code: 'SOURCE_TIMEOUT', origin: text },
  );
}

function staleNotice({ text }: SourceUri, revision: string): Diagnostic {
  return {
    level: 'warning',
    code: 'SOURCE_STALE',
    message: `${text} cannot be reached; its copy of revision ${revision.slice(0, 12)} is used. It may be out of date.`,
  };
}

function changedAgain({ text }: SourceUri): FoundationError {
  return new FoundationError(`${text} changed while it was reviewed. Review it again.`, {
    code: 'SOURCE_FAILED',
    origin: text,
  });
}

function firstUse({ text }: SourceUri, revision: string): Diagnostic {
  return {
    level: 'warning',
    code: 'SOURCE_FIRST_USE',
    message: `${text} is used for the first time, at revision ${revision.slice(0, 12)}, and is trusted as it is there. You are asked before a newer revision is used.`,
  };
}

function heldNotice({ text }: SourceUri, revision: string, newer: string, how: string): Diagnostic {
  return {
    level: 'warning',
    code: 'SOURCE_HELD',
    message: `${text} has changed since you trusted it: it is at revision ${newer.slice(0, 12)}. Revision ${revision.slice(0, 12)} is still used. Review the change, then ${how}`,
  };
}

function foreignHint(location: string): string {
  return /^[a-z]:[\\/]/i.test(location) && process.platform !== 'win32'
    ? '; it is written for Windows and this machine is not'
    : '';
}
