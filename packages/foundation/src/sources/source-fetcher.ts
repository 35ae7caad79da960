import type { Clock } from '@amplifier/core';
import type { SourceUri } from './source-uri.js';

export interface FetchProgress {
  source: string;
  /** A few words: `Receiving objects`. */
  phase: string;
  /** 0 to 100, where it is known. */
  percent?: number | undefined;
}

export interface FetchContext {
  /** Aborts on timeout and when the caller gives up. */
  signal: AbortSignal;
  clock: Clock;
  environment: Readonly<Record<string, string | undefined>>;
  /** Makes the folder that programs run in, which no project has settings for. */
  programFolder(): Promise<string>;
  /** The most a fetch may put on disk. */
  maxBytes: number;
  /** Rejects when the app does not let anything be fetched from there. Asked before each request, redirects included. */
  checkUrl(url: URL): Promise<void>;
  onProgress(progress: Omit<FetchProgress, 'source'>): void;
}

/**
 * Brings the content of one kind of place. The cache around it does the rest: what was fetched is kept, is fetched by
 * one caller at a time, and is never seen half done. This is how an app adds a scheme, such as an object store.
 */
export interface SourceFetcher {
  /** What stands before `://`. */
  readonly schemes: readonly string[];
  /**
   * What the place holds right now: a commit, a digest, a version. Letters, digits, dots and dashes. Must change when the
   * content does. Must reject with `SOURCE_UNREACHABLE` when the place does not answer: a copy from before then serves.
   */
  revision(source: SourceUri, context: FetchContext): Promise<string>;
  /** Puts that revision into `folder`, which exists and is empty. Must end soon after the signal aborts. */
  fetch(source: SourceUri, revision: string, folder: string, context: FetchContext): Promise<void>;
}
