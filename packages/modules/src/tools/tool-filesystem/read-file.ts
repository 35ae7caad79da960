import type { FileHandle } from 'node:fs/promises';
import { imageType, type Tool } from '@amplifier/core';
import { z } from 'zod';
import {
  BINARY_PROBE_BYTES,
  IMAGE_MAX_BYTES,
  READ_LINE_CHARACTERS,
  READ_LINES,
  READ_MAX_BYTES,
  READ_SCAN_BYTES,
} from '../defaults.js';
import { defineTool } from '../define-tool.js';
import { ToolError } from '../tool-error.js';
import { readInEditor } from './editor-text.js';
import type { FileAccess } from './file-access.js';
import { openFile } from './open-file.js';
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

/** Read at once. */
const CHUNK_BYTES = 256 * 1024;

interface LineWindow {
  lines: string[];
  /** The number of the first line, counted from one. */
  first: number;
  /** Null when the end of the file was not reached. */
  total: number | null;
  /** The lines end where the search ended, not where the window does. */
  isCut?: boolean;
}

/** The first bytes of a file: enough to tell what it is. */
async function readStart(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(BINARY_PROBE_BYTES), 0, BINARY_PROBE_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

/** Reads a window of lines in bounded memory, however long the file or its lines are. */
async function readLines(file: FileHandle, first: number, count: number): Promise<LineWindow> {
  const lines: string[] = [];
  let number = 1;
  let bytes = 0;
  let scanned = 0;
  let line: Buffer[] = [];
  let lineBytes = 0;
  let dropped = 0;

  const inWindow = () => number >= first && lines.length < count && bytes < READ_MAX_BYTES;
  const take = (part: Buffer) => {
    if (!inWindow()) return;
    const kept = part.subarray(0, Math.max(0, READ_LINE_CHARACTERS - lineBytes));
    if (kept.length > 0) line.push(Buffer.from(kept));
    lineBytes += kept.length;
    dropped += part.length - kept.length;
  };
  const endLine = () => {
    if (inWindow()) {
      lines.push(lineText(line, dropped));
      bytes += lineBytes;
    }
    line = [];
    lineBytes = 0;
    dropped = 0;
    number++;
  };

  let endsWithBreak = true;
  // Not a stream: leaving one early closes the file, which its caller still uses.
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, scanned);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      take(chunk.subarray(from, at));
      endLine();
      from = at + 1;
    }
    if (from < chunk.length) take(chunk.subarray(from));
    endsWithBreak = from === chunk.length;
    scanned += chunk.length;
    if (scanned >= READ_SCAN_BYTES) {
      const { size } = await file.stat();
      if (size <= scanned) continue;
      const isCut = inWindow();
      // The rest of the file may belong to this line.
      if (isCut && !endsWithBreak) lines.push(lineText(line, dropped + size - scanned, 'up to '));
      return { lines, first, total: null, isCut };
    }
  }
  if (!endsWithBreak) endLine();
  return { lines, first, total: number - 1 };
}

/** The same of a text that is there already. */
function lineWindow(text: string, first: number, count: number): LineWindow {
  const all = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const lines: string[] = [];
  let bytes = 0;
  for (const line of all.slice(first - 1, first - 1 + count)) {
    if (bytes >= READ_MAX_BYTES) break;
    const part = Buffer.from(line);
    const kept = part.subarray(0, READ_LINE_CHARACTERS);
    lines.push(lineText([kept], part.length - kept.length));
    bytes += kept.length;
  }
  return { lines, first, total: all.length };
}

function lineText(parts: Buffer[], dropped: number, bound = ''): string {
  const text = Buffer.concat(parts).toString('utf8').replace(/\r$/, '');
  if (dropped === 0) return text;
  return `${text.replace(/\uFFFD+$/, '')}… [${bound}${dropped} more bytes in this line]`;
}

/** The lines with their numbers, as editors show them. */
function numbered({ lines, first }: LineWindow): string {
  return lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`).join('\n');
}
