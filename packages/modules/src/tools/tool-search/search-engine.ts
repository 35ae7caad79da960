import type { Grant } from '@amplifier/workspace';

export interface SearchPlace {
  /** Absolute and real: a folder, or a single file. */
  root: string;
  /** Decides, path by path, what may be looked at. */
  grant: Grant;
  signal: AbortSignal;
}

export interface GrepRequest extends SearchPlace {
  pattern: string;
  case_insensitive: boolean;
  /** Lines to show before and after a match. */
  context: number;
  /** Is this file, relative to the root, wanted? */
  wanted: (path: string) => boolean;
}

export interface FoundLine {
  /** Relative to the root. */
  path: string;
  line: number;
  text: string;
  /** False for a line that is only there for context. */
  match: boolean;
}

/**
 * Looks through a tree. Both methods must yield in order of path, must leave out what .gitignore files leave out, `.git` itself,
 * symbolic links, binary and very large files, and must end soon after the signal aborts. They may yield paths that the grant
 * does not allow, or that are behind a link: the tools filter. Abandoning the iteration must leave nothing behind.
 */
export interface SearchEngine {
  files(place: SearchPlace): AsyncIterable<string>;
  /** Lines by file, in order. Must throw `ToolError` for a pattern that cannot be read. */
  grep(request: GrepRequest): AsyncIterable<FoundLine>;
}
