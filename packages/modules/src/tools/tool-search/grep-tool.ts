import type { Tool } from '@amplifier/core';
import { shorten } from '@amplifier/core';
import { z } from 'zod';
import { SEARCH_LIMIT, SEARCH_LINE_CHARACTERS, SEARCH_MAX_LIMIT, SEARCH_TIMEOUT_MS } from '../defaults.js';
import { defineTool } from '../define-tool.js';
import type { FileAccess } from '../tool-filesystem/file-access.js';
import { within } from '../within.js';
import type { FoundLine, SearchEngine } from './search-engine.js';
import { pathMatcher, searchPlace } from './search-place.js';

const Input = z.object({
  pattern: z.string().min(1).describe('A regular expression, without look-around and back references'),
  path: z.string().default('.').describe('The folder or file to look in'),
  glob: z.string().optional().describe('Only files whose path matches, such as *.ts or src/**'),
  output_mode: z
    .enum(['content', 'files_with_matches', 'count'])
    .default('files_with_matches')
    .describe('Matching lines, or only the files that have any, or how many each has'),
  case_insensitive: z.boolean().default(false),
  context: z
    .number()
    .int()
    .nonnegative()
    .max(20)
    .default(0)
    .describe('Lines before and after each match, for content'),
  limit: z
    .number()
    .int()
    .positive()
    .max(SEARCH_MAX_LIMIT)
    .default(SEARCH_LIMIT)
    .describe('Most lines or files to return'),
});

export function grepTool(access: FileAccess, engine: () => Promise<SearchEngine>): Tool {
  return defineTool({
    name: 'grep',
    description:
      'Search the content of files. Files that .gitignore leaves out, binary and very large files are left out.',
    input: Input,
    async run(input, context) {
      const { root, grant, mayShow, shown } = await searchPlace(access, context, input.path);
      const matches = input.glob === undefined ? () => true : pathMatcher(input.glob);
      const wanted = (path: string) => matches(path) && mayShow(path);
      const search = await engine();
      return within<unknown>(
        SEARCH_TIMEOUT_MS,
        `Searching for '${input.pattern}'`,
        context,
        async (signal) => {
          const { pattern, case_insensitive } = input;
          const lines = input.output_mode === 'content' ? input.context : 0;
          const found = search.grep({
            root,
            grant,
            signal,
            pattern,
            case_insensitive,
            context: lines,
            wanted,
          });
          return input.output_mode === 'content'
            ? showLines(found, shown, input.limit)
            : countLines(found, shown, input);
        },
      );
    },
  });
}

async function showLines(found: AsyncIterable<FoundLine>, shown: (path: string) => string, limit: number) {
  const lines: string[] = [];
  let matches = 0;
  for await (const { path, line, text, match } of found) {
    if (lines.length === limit) return { matches, content: lines.join('\n'), truncated_at: limit };
    if (match) matches++;
    const mark = match ? ':' : '-';
    lines.push(`${shown(path)}${mark}${line}${mark}${shorten(text, SEARCH_LINE_CHARACTERS)}`);
  }
  return { matches, content: lines.join('\n') };
}

async function countLines(
  found: AsyncIterable<FoundLine>,
  shown: (path: string) => string,
  { output_mode, limit }: z.output<typeof Input>,
) {
  const counts = new Map<string, number>();
  let more = {};
  for await (const { path } of found) {
    const file = shown(path);
    if (counts.size === limit && !counts.has(file)) {
      more = { truncated_at: limit };
      break;
    }
    counts.set(file, (counts.get(file) ?? 0) + 1);
  }
  if (output_mode === 'count') return { counts: Object.fromEntries(counts), ...more };
  return { files: [...counts.keys()], ...more };
}
