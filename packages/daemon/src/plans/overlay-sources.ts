import { readFile, stat } from 'node:fs/promises';
import { isPlainObject, type JsonObject } from '@amplifier/core';
import { splitFrontmatter } from '@amplifier/foundation';
import type { Scope } from '../auth/scope.js';
import { DaemonError } from '../daemon-error.js';
import { MAX_CONTEXT_FILE_BYTES, MAX_EMBEDDED_BYTES } from '../defaults.js';
import type { RefResolver } from '../profiles/ref-resolver.js';
import { checkOverlaySize } from './apply-overlay.js';

export interface SourcesFrom {
  refs: RefResolver;
  /** The compiled profile, where relative refs start. */
  base: string | null;
  homes: readonly string[];
  /** Only `admin` may have something fetched. */
  scope: Scope;
}

/** Gives agents and contexts that an overlay adds by `source` their content. Relative refs start in the compiled profile. */
export async function fillOverlaySources(overlay: JsonObject, from: SourcesFrom): Promise<JsonObject> {
  checkOverlaySize(overlay);
  const filled: JsonObject = { ...overlay };
  let bytes = 0;
  for (const section of ['agents', 'context']) {
    const entries = overlay[section];
    if (!isPlainObject(entries)) continue;
    const members = Object.entries(entries);
    for (const [at, [name, entry]] of members.entries()) {
      if (!isPlainObject(entry) || typeof entry.source !== 'string' || entry.content !== undefined) continue;
      const { source, ...rest } = entry;
      const content = await readSource(source, name, from);
      bytes += Buffer.byteLength(content);
      if (bytes > MAX_EMBEDDED_BYTES)
        throw new DaemonError(
          'INVALID_OVERLAY',
          `The sources of the overlay have more than ${MAX_EMBEDDED_BYTES} bytes in all.`,
        );
      members[at] = [name, { ...rest, content }];
    }
    filled[section] = Object.fromEntries(members);
  }
  return filled;
}

async function readSource(
  source: string,
  name: string,
  { refs, base, homes, scope }: SourcesFrom,
): Promise<string> {
  const { path } = await refs.resolve(source, { base, closed: homes, local_only: scope !== 'admin' });
  const found = await stat(path);
  if (!found.isFile() || found.size > MAX_CONTEXT_FILE_BYTES) {
    throw new DaemonError(
      'INVALID_OVERLAY',
      `${name}: ${source} is not a text file of at most ${MAX_CONTEXT_FILE_BYTES} bytes.`,
    );
  }
  return splitFrontmatter(await readFile(path, 'utf8'), name).body.trim();
}
