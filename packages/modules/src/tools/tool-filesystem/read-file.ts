import type { Tool } from '@amplifier/core';
import { z } from 'zod';
import { READ_LINES } from '../defaults.js';
import { defineTool } from '../define-tool.js';
import { ToolError } from '../tool-error.js';
import type { FileAccess } from './file-access.js';
import { openFile } from './open-file.js';
import { isBinary, numbered, readLines } from './read-lines.js';

export function readFileTool(access: FileAccess): Tool {
  return defineTool({
    name: 'read_file',
    description:
      'Read a text file. Lines come with their numbers, which are not part of the file. Read a long file in parts with offset and limit.',
    input: z.object({
      file_path: z.string().describe('Absolute, or relative to the working folder'),
      offset: z.number().int().positive().default(1).describe('The first line to read, counted from 1'),
      limit: z
        .number()
        .int()
        .positive()
        .max(READ_LINES)
        .default(READ_LINES)
        .describe('How many lines to read'),
    }),
    async run({ file_path, offset, limit }, context) {
      const file = await openFile(access, context, file_path);
      try {
        if (await isBinary(file)) {
          const { size } = await file.stat();
          throw new ToolError(
            'BINARY_FILE',
            `'${file_path}' is not a text file (${size} bytes). It cannot be read as text.`,
          );
        }
        const window = await readLines(file, offset, limit);
        const last = offset + window.lines.length - 1;
        const isAll = window.total !== null && last >= window.total;
        return {
          file_path,
          content: numbered(window),
          first_line: offset,
          lines: window.lines.length,
          total_lines: window.total,
          ...(isAll ? {} : { next_offset: last + 1 }),
        };
      } finally {
        await file.close();
      }
    },
  });
}
