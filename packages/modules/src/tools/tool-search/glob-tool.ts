import type { Tool } from '@amplifier/core';
import { z } from 'zod';
import { SEARCH_LIMIT, SEARCH_MAX_LIMIT, SEARCH_TIMEOUT_MS } from '../defaults.js';
import { defineTool } from '../define-tool.js';
import type { FileAccess } from '../tool-filesystem/file-access.js';
import { within } from '../within.js';
import type { SearchEngine } from './search-engine.js';
import { pathMatcher, searchPlace } from './search-place.js';

const Input = z.object({
  pattern: z
    .string()
    .min(1)
    .describe('A glob such as **/*.test.ts; without a slash it is about names in any folder'),
  path: z.string().default('.').describe('The folder to look in'),
  limit: z.number().int().positive().max(SEARCH_MAX_LIMIT).default(SEARCH_LIMIT),
});

export function globTool(access: FileAccess, engine: () => Promise<SearchEngine>): Tool {
  return defineTool({
    name: 'glob',
    description: 'Find files by name. Files that .gitignore leaves out are left out.',
    input: Input,
    async run({ pattern, path, limit }, context) {
      const { root, grant, mayShow, isThere, shown } = await searchPlace(access, context, path);
      const matches = pathMatcher(pattern);
      const search = await engine();
      return within(SEARCH_TIMEOUT_MS, `Looking for '${pattern}'`, context, async (signal) => {
        const files: string[] = [];
        for await (const file of search.files({ root, grant, signal })) {
          if (!matches(file) || !mayShow(file) || !(await isThere(file))) continue;
          if (files.length === limit) return { files, truncated_at: limit };
          files.push(shown(file));
        }
        return { files };
      });
    },
  });
}
