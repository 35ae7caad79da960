import { realpath } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { AmplifierError, type Clock, type Report } from '@amplifier/core';
import {
  confinedPath,
  type FetchProgress,
  parseSource,
  type ResolvedSource,
  SourceResolver,
} from '@amplifier/foundation';
import { isWithin } from '@amplifier/workspace';
import { DaemonError } from '../daemon-error.js';
import { refusePrivateUrl } from './private-address.js';

export interface RefResolverOptions {
  cacheDir: string;
  /** Folders that absolute paths may lead into. */
  roots: readonly string[];
  allowPrivate: boolean;
  clock: Clock;
  report: Report;
}

export interface ResolveOptions {
  /** The folder relative refs start at and may not leave. Null where there is none. */
  base: string | null;
  /** Folders that a local ref may not lead into, whatever root they lie below; `base` is open all the same. */
  closed?: readonly string[];
  /** Refuse refs that have to be fetched. */
  local_only?: boolean;
  /** Ask the place for news, instead of taking what is here. */
  update?: boolean;
  onProgress?: (progress: FetchProgress) => void;
}

/** Brings refs of collections and manifests to this machine, as far as the operator lets them lead. */
export class RefResolver {
  readonly #options: RefResolverOptions;

  constructor(options: RefResolverOptions) {
    this.#options = options;
  }

  async resolve(ref: string, options: ResolveOptions): Promise<ResolvedSource> {
    const text = normalize(ref);
    const source = parseSource(text);
    if (source.scheme === 'path') return this.#local(text, source, options);
    if (source.scheme === 'package') {
      throw new DaemonError('INVALID_SOURCE', `${JSON.stringify(ref)} is no ref. A path begins with ./`);
    }
    if (options.local_only) throw outside(text);
    return this.#fetch(text, options);
  }

  async #local(
    text: string,
    { location, subdirectory }: { location: string; subdirectory: string | null },
    { base, closed = [] }: ResolveOptions,
  ): Promise<ResolvedSource> {
    if (location.startsWith('~') || location.includes('\0')) throw outside(text);
    const path = subdirectory ? `${location}/${subdirectory}` : location;
    if (!isAbsolute(path)) {
      if (base === null) throw outside(text);
      const found = await confinedPath(base, path);
      return { source: text, path: found, root: base, revision: null, stale: false };
    }
    const real = await realpath(path).catch(() => null);
    const bases = await realPaths(base === null ? [] : [base]);
    const isClosed = (await realPaths(closed)).some((folder) => real !== null && isWithin(folder, real));
    const roots = isClosed ? bases : [...(await realPaths(this.#options.roots)), ...bases];
    // Whether a path outside of the roots exists is nobody's business: both cases read the same.
    if (real === null || !roots.some((root) => isWithin(root, real))) throw outside(text);
    return { source: text, path: real, root: real, revision: null, stale: false };
  }

  /** `…@main/agents/x.md` is an old way to write a subdirectory; a branch with a slash in its name goes first. */
  async #fetch(text: string, options: ResolveOptions): Promise<ResolvedSource> {
    let candidate = text;
    for (;;) {
      try {
        return await this.#resolver(options).resolve(candidate, options.base ?? '/');
      } catch (error) {
        const shorter =
          AmplifierError.is(error) && error.code === 'SOURCE_REF_NOT_FOUND' && moveOut(candidate);
        if (!shorter) throw error;
        candidate = shorter;
      }
    }
  }

  #resolver({ update = false, onProgress }: ResolveOptions): SourceResolver {
    const { cacheDir, allowPrivate, clock, report } = this.#options;
    return new SourceResolver({
      cacheDir,
      clock,
      report,
      revisionMaxAgeMs: update ? 0 : Number.MAX_SAFE_INTEGER,
      ...(onProgress ? { onProgress } : {}),
      ...(allowPrivate ? {} : { checkUrl: refusePrivateUrl, environment: gitWithoutRedirects() }),
    });
  }
}

/** Of those that exist. */
async function realPaths(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => realpath(path).catch(() => null)));
  return found.filter((path) => path !== null);
}

/** A bare `#a/b` is an old way to write `#subdirectory=a/b`. */
function normalize(ref: string): string {
  return ref.trim().replace(/#(?!subdirectory=)([^=#]+)$/, '#subdirectory=$1');
}

function moveOut(text: string): string | null {
  const [, head, ref, subdirectory = ''] =
    /^(git\+[^#]*\/[^#@]*)@([^#]+)(?:#subdirectory=(.*))?$/.exec(text) ?? [];
  const cut = ref?.lastIndexOf('/') ?? -1;
  if (!head || !ref || cut <= 0) return null;
  const moved = [ref.slice(cut + 1), subdirectory].filter(Boolean).join('/');
  return `${head}@${ref.slice(0, cut)}#subdirectory=${moved}`;
}

/** git asks for redirects itself, where nothing checks them. */
function gitWithoutRedirects(): Record<string, string | undefined> {
  return {
    ...process.env,
    GIT_ALLOW_PROTOCOL: 'https:ssh',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.followRedirects',
    GIT_CONFIG_VALUE_0: 'false',
  };
}

function outside(text: string): DaemonError {
  return new DaemonError(
    'INVALID_SOURCE',
    `${JSON.stringify(text)} is not below a folder that sources may come from. The operator can add one with source_roots.`,
  );
}
