import { errorInfo, type Report } from '@amplifier/core';
import { MAX_MENTION_BYTES } from '../defaults.js';
import { readTextFile } from '../documents/read-text-file.js';
import { formatFile } from './expand-mentions.js';
import { loadMentions } from './load-mentions.js';
import type { MentionResolver } from './mention-resolver.js';

export interface PromptSources {
  instruction: string | null;
  /** Is the instruction by somebody whose mentions are followed? Default: yes. */
  trusted?: boolean;
  /** Files that belong to the prompt, by the name they are known by. */
  context?: Readonly<Record<string, string>>;
}

/**
 * The system prompt: the instruction, a rule, then the context files and everything they and the instruction mention.
 * Read anew each time, so that a changed file counts from the next request on. A context file that cannot be read is
 * reported and left out.
 */
export async function systemPrompt(
  { instruction, trusted = true, context = {} }: PromptSources,
  resolver: MentionResolver,
  report: Report = () => {},
): Promise<string> {
  const named = await Promise.all(
    Object.entries(context).map(async ([mention, path]) => {
      try {
        return [{ mentions: [{ mention, path }], content: await readTextFile(path, MAX_MENTION_BYTES) }];
      } catch (error) {
        report({ level: 'warning', code: 'CONTEXT_UNREADABLE', message: errorInfo(error).message, error });
        return [];
      }
    }),
  );
  const files = named.flat();
  const followed = await Promise.all([
    loadMentions(trusted ? (instruction ?? '') : '', resolver),
    ...files.map(({ content, mentions }) => loadMentions(content, resolver, mentions[0]?.path)),
  ]);
  const all = [...files, ...followed.flatMap((each) => each.files)];
  const blocks = all.filter(
    ({ content }, index) => all.findIndex((file) => file.content === content) === index,
  );
  return [instruction ?? '', blocks.map(formatFile).join('\n\n')].filter(Boolean).join('\n\n---\n\n');
}
