import { readFile, stat } from 'node:fs/promises';
import { isPlainObject, type JsonObject } from '@amplifier/core';
import { splitFrontmatter } from '@amplifier/foundation';
import { DaemonError } from '../daemon-error.js';
import { MAX_CONTEXT_FILE_BYTES } from '../defaults.js';
import type { Scope } from '../http/scope.js';
import type { RefResolver } from '../profiles/ref-resolver.js';

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
  let filled = overlay;
  for (const section of ['agents', 'context']) {
    const entries = overlay[section];
    if (!isPlainObject(entries)) continue;
    for (const [name, entry] of Object.entries(entries)) {
      if (!isPlainObject(entry) || typeof entry.source !== 'string' || entry.content !== undefined) continue;
      const { source, ...rest } = entry;
      const content = await readSource(source, name, from);
      const members = isPlainObject(filled[section]) ? filled[section] : {};
      filled = { ...filled, [section]: { ...members, [name]: { ...rest, content } } };
    }
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
