import type { FileHandle } from 'node:fs/promises';
import { imageType, type Tool } from '@amplifier/core';
import { z } from 'zod';
import { IMAGE_MAX_BYTES, READ_LINES, READ_SCAN_BYTES } from '../defaults.js';
import { defineTool } from '../define-tool.js';
import { ToolError } from '../tool-error.js';
import { readInEditor } from './editor-text.js';
import type { FileAccess } from './file-access.js';
import { openFile } from './open-file.js';
import { type LineWindow, lineWindow, numbered, readLines, readStart } from './read-lines.js';
import type { SeenFiles } from './seen-files.js';

const Input = z.object({
  file_path: z.string().describe('Absolute, or relative to the working folder'),
  offset: z.number().int().positive().default(1).describe('The first line to read, counted from 1'),
  limit: z.number().int().positive().max(READ_LINES).default(READ_LINES).describe('How many lines to read'),
});

export function readFileTool(access: FileAccess, seen: SeenFiles): Tool {
  return defineTool({
    name: 'read_file',
    description:
      'Read a text file, or look at an image. Lines come with their numbers, which are not part of the file. Read a long file in parts with offset and limit.',
    input: Input,
    async run({ file_path, offset, limit }, context) {
      const file = await openFile(access, context, file_path);
      try {
        const start = await readStart(file);
        const image = imageType(start);
        if (image !== null) return await showImage(file, file_path, image);
        if (start.includes(0)) throw binary(file_path, (await file.stat()).size);
        const path = await access.resolve(context, 'read', file_path);
        const buffer = await readInEditor(context, path);
        const window =
          buffer === null ? await readLines(file, offset, limit) : lineWindow(buffer, offset, limit);
        await seen.note(path, file);
        return shown(window);
      } finally {
        await file.close();
      }
    },
  });
}

const SEARCHED = `beyond the first ${READ_SCAN_BYTES / 1024 ** 2} MB, which are all that is searched for lines`;

/** Text and not an object: code inside JSON is hard to read and harder to copy exactly. */
function shown(window: LineWindow): string {
  const { lines, first, total, isCut = false } = window;
  const last = first + lines.length - 1;
  if (total === 0) return '[the file is empty]';
  if (lines.length === 0)
    return total === null
      ? `[line ${first} is ${SEARCHED}]`
      : `[the file has ${total} lines; there is nothing from line ${first} on]`;
  if (first === 1 && last === total) return numbered(window);
  const more = last === total ? '' : isCut ? `; more is ${SEARCHED}` : `; read on with offset ${last + 1}`;
  return `${numbered(window)}\n[lines ${first} to ${last} of ${total ?? 'very many'}${more}]`;
}

/** An image is shown and not read: the model gets it as a block of its own. */
async function showImage(file: FileHandle, path: string, media_type: string) {
  const { size } = await file.stat();
  if (size > IMAGE_MAX_BYTES)
    throw new ToolError(
      'TOO_LARGE',
      `'${path}' is an image of ${size} bytes; models take at most ${IMAGE_MAX_BYTES}. Make it smaller first.`,
    );
  const data = (await file.readFile()).toString('base64');
  const source = { type: 'base64', media_type, data };
  return {
    content_blocks: [
      { type: 'text', text: `${path} (${media_type}, ${size} bytes)` },
      { type: 'image', source },
    ],
  };
}

function binary(path: string, size: number): ToolError {
  return new ToolError(
    'BINARY_FILE',
    `'${path}' is not a text file (${size} bytes). It cannot be read as text.`,
  );
}
