import { type LoadedMentions, loadMentions, type MentionedFile } from './load-mentions.js';
import type { MentionResolver } from './mention-resolver.js';

/** A part of a text. What is quoted, such as a parent's conversation, is data: nothing in it is followed. */
export type MentionPart = string | { quoted: string };

export interface ExpandedText extends Pick<LoadedMentions, 'missing'> {
  /** The blocks of the mentioned files, then the text as it was. */
  text: string;
  /** Digests of the files in it, to be passed as `seen` next time. */
  digests: string[];
}

export interface ExpandOptions {
  resolver: MentionResolver;
  /** The file the text stands in. */
  from?: string;
  /** Digests of files the conversation already holds; they are not repeated. */
  seen?: ReadonlySet<string>;
}

/** Puts the files a text mentions before it. */
export async function expandMentions(
  parts: MentionPart | readonly MentionPart[],
  { resolver, from, seen = new Set() }: ExpandOptions,
): Promise<ExpandedText> {
  const list = Array.isArray(parts) ? (parts as readonly MentionPart[]) : [parts as MentionPart];
  const own = list.filter((part) => typeof part === 'string').join('\n\n');
  const { files, missing } = await loadMentions(own, resolver, from);
  const fresh = files.filter(({ digest }) => !seen.has(digest));
  const whole = list.map((part) => (typeof part === 'string' ? part : part.quoted));
  return {
    text: [...fresh.map(formatFile), ...whole].join('\n\n'),
    digests: fresh.map(({ digest }) => digest),
    missing,
  };
}

export function formatFile({ mentions, content }: Pick<MentionedFile, 'mentions' | 'content'>): string {
  const paths = mentions.map(({ mention, path }) => `@${mention} → ${path}`).join(', ');
  return `<context_file paths="${paths.replaceAll('"', '&quot;')}">\n${content.trimEnd()}\n</context_file>`;
}
