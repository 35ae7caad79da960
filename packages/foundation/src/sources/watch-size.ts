import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SIZE_CHECK_MS } from '../defaults.js';
import { FoundationError } from '../errors.js';
import type { FetchContext } from './source-fetcher.js';

export interface SizeWatch {
  /** The given context with a signal that also aborts when the folder grows too large. */
  context: FetchContext;
  check(): Promise<void>;
  stop(): void;
}

/** Looks at the size of a folder while something fills it. */
export function watchSize(folder: string, context: FetchContext, source: string): SizeWatch {
  const grown = new AbortController();
  const check = async () => {
    const size = await folderSize(folder);
    if (size > context.maxBytes) throw tooLarge(source, context.maxBytes);
  };
  let cancel = () => {};
  let stopped = false;
  const next = () => {
    if (stopped) return;
    cancel = context.clock.after(SIZE_CHECK_MS, () => check().then(next, (error) => grown.abort(error)));
  };
  next();
  return {
    context: { ...context, signal: AbortSignal.any([context.signal, grown.signal]) },
    check,
    stop() {
      stopped = true;
      cancel();
    },
  };
}

/** Bytes of all files below. What vanishes while being looked at counts nothing. */
async function folderSize(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  let size = 0;
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    size += await stat(join(entry.parentPath, entry.name)).then(
      (stats) => stats.size,
      () => 0,
    );
  }
  return size;
}

export function tooLarge(source: string, maxBytes: number): FoundationError {
  const megabytes = Math.round(maxBytes / 1024 / 1024);
  return new FoundationError(
    `${source} is larger than ${megabytes} MB, the most a source may have. Name a smaller one, or raise the limit.`,
    { code: 'SOURCE_TOO_LARGE', origin: source },
  );
}
