import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { AmplifierError } from '@amplifier/core';
import { MAX_LISTED_ENTRIES, MAX_MENTION_BYTES, MAX_MENTION_DEPTH } from '../defaults.js';
import { readTextFile } from '../documents/read-text-file.js';
import { findMentions } from './find-mentions.js';
import type { MentionResolver, MissingReason } from './mention-resolver.js';

export interface MentionedFile {
  /** Every mention that led here, with the path it led by. Files of equal content count as one. */
  mentions: { mention: string; path: string }[];
  content: string;
  digest: string;
}

export interface LoadedMentions {
  /** In the order they are mentioned; what a file mentions follows it. */
  files: MentionedFile[];
  missing: { mention: string; reason: MissingReason; path?: string }[];
}

const REASONS: Record<string, MissingReason> = {
  FILE_TOO_LARGE: 'too_large',
  NOT_TEXT: 'not_text',
  FILE_NOT_FOUND: 'not_found',
};

/**
 * Reads what a text mentions, and what a trusted file among that mentions, a few levels deep. Never rejects: what cannot be
 * read is missing.
 */
export async function loadMentions(
  text: string,
  resolver: MentionResolver,
  from?: string,
): Promise<LoadedMentions> {
  const files = new Map<string, MentionedFile>();
  const missing: LoadedMentions['missing'] = [];
  const visited = new Set<string>();
  await follow(text, from, 1);
  return { files: [...files.values()], missing };

  async function follow(source: string, containing: string | undefined, depth: number): Promise<void> {
    for (const mention of findMentions(source)) {
      const found = await resolver.resolve(mention, containing);
      if ('reason' in found) missing.push({ mention, reason: found.reason });
      else await read(mention, found.path, depth);
    }
  }

  async function read(mention: string, path: string, depth: number): Promise<void> {
    const visit = `${mention}\n${path}`;
    if (visited.has(visit)) return;
    visited.add(visit);
    try {
      const content = await contentOf(path, resolver);
      const digest = createHash('sha256').update(content).digest('hex');
      const known = files.get(digest);
      if (known) {
        known.mentions.push({ mention, path });
        return;
      }
      files.set(digest, { mentions: [{ mention, path }], content, digest });
      const isTrusted = resolver.trusts?.(path) ?? true;
      if (isTrusted && depth < MAX_MENTION_DEPTH) await follow(content, path, depth + 1);
    } catch (error) {
      const code = AmplifierError.is(error) ? error.code : '';
      missing.push({ mention, path, reason: REASONS[code] ?? 'unreadable' });
    }
  }
}

/** The text of a file; for a folder what it holds, folders first. */
async function contentOf(path: string, { open }: MentionResolver): Promise<string> {
  if (!(await stat(path)).isDirectory()) return readTextFile(path, MAX_MENTION_BYTES, open);
  const entries = await readdir(path, { withFileTypes: true });
  const names = (folders: boolean) =>
    entries
      .filter((entry) => entry.isDirectory() === folders)
      .map(({ name }) => (folders ? `${name}/` : name))
      .sort();
  const all = [...names(true), ...names(false)];
  const more = all.length - MAX_LISTED_ENTRIES;
  return [...all.slice(0, MAX_LISTED_ENTRIES), ...(more > 0 ? [`… and ${more} more`] : [])].join('\n');
}
