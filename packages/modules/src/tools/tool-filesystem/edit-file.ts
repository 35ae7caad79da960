import { EVENTS, type Tool, type ToolContext } from '@amplifier/core';
import { z } from 'zod';
import { EDIT_MAX_BYTES, EDIT_MAX_EDITS } from '../defaults.js';
import { defineTool } from '../define-tool.js';
import type { OneAtATime } from '../one-at-a-time.js';
import { ToolError } from '../tool-error.js';
import { readInEditor, writeInEditor } from './editor-text.js';
import type { FileAccess } from './file-access.js';
import { openFile } from './open-file.js';
import type { FileVersion } from './replace-file.js';
import { replaceKept } from './replace-kept.js';
import { type EditedText, replaceText, type TextEdit } from './replace-text.js';
import type { SeenFiles } from './seen-files.js';

const filePath = z.string().describe('Absolute, or relative to the working folder');
const Edit = z.strictObject({
  old_string: z
    .string()
    .describe('The text to replace, exactly as it is in the file, in enough context to be there once'),
  new_string: z.string().describe('The text to put in its place'),
  replace_all: z.boolean().default(false).describe('Replace every place instead of exactly one'),
});

const OneEdit = z.object({ file_path: filePath, ...Edit.shape });
const ManyEdits = z.object({ file_path: filePath, edits: z.array(Edit).min(1) });

export function editFileTool(access: FileAccess, turns: OneAtATime, seen: SeenFiles): Tool {
  return defineTool({
    name: 'edit_file',
    description:
      'Replace one exact piece of text in a file. Refused when the text is not there or is there more than once.',
    input: OneEdit,
    async run({ file_path, ...edit }, context) {
      const [done] = await editFile({ access, turns, seen }, context, file_path, [edit]);
      return { file_path, replacements: done?.replacements, line: done?.line };
    },
  });
}

export function multiEditTool(access: FileAccess, turns: OneAtATime, seen: SeenFiles): Tool {
  return defineTool({
    name: 'multi_edit',
    description:
      'Make several exact replacements in one file, each on the result of the one before. All are made or none.',
    input: ManyEdits,
    async run({ file_path, edits }, context) {
      if (edits.length > EDIT_MAX_EDITS)
        throw new ToolError(
          'INVALID_INPUT',
          `There are ${edits.length} edits; one call makes at most ${EDIT_MAX_EDITS}. Split them into several calls. No edit was made.`,
        );
      return { file_path, edits: await editFile({ access, turns, seen }, context, file_path, edits) };
    },
  });
}

async function editFile(
  { access, turns, seen }: { access: FileAccess; turns: OneAtATime; seen: SeenFiles },
  context: ToolContext,
  file_path: string,
  edits: readonly TextEdit[],
): Promise<EditDone[]> {
  const grant = await access.grant(context);
  const path = await access.resolve(context, 'write', file_path);
  return turns.run(path, async () => {
    await seen.requireUnchanged(path, grant);
    const { text: saved, version } = await readWhole(access, context, file_path);
    const inEditor = await readInEditor(context, await access.resolve(context, 'read', file_path));
    const { content, done } = applyEdits(file_path, inEditor ?? saved, edits);
    // An editor whose text was not read may have changes that are not saved.
    if (inEditor === null || !(await writeInEditor(context, path, content)))
      await replaceKept(context.coordinator, { grant, path, content, expected: version });
    await seen.noteWritten(path, grant);
    const bytes = Buffer.byteLength(content);
    await context.coordinator.hooks.emit(EVENTS.ARTIFACT_WRITE, {
      path,
      bytes,
      tool_call_id: context.tool_call_id,
    });
    return done;
  });
}

type EditDone = Omit<EditedText, 'text'>;

/** Keeps only the last text: each of them may be as long as the file. */
function applyEdits(
  file: string,
  text: string,
  edits: readonly TextEdit[],
): { content: string; done: EditDone[] } {
  const done: EditDone[] = [];
  let content = text;
  for (const [index, edit] of edits.entries()) {
    try {
      const { text: edited, ...place } = replaceText(file, content, edit);
      content = edited;
      done.push(place);
    } catch (error) {
      if (!(error instanceof ToolError) || edits.length === 1) throw error;
      const message = `Edit ${index + 1} of ${edits.length}: ${error.message} No edit was made.`;
      throw new ToolError(error.code, message, { cause: error });
    }
  }
  return { content, done };
}

async function readWhole(
  access: FileAccess,
  context: ToolContext,
  path: string,
): Promise<{ text: string; version: FileVersion }> {
  const file = await openFile(access, context, path);
  try {
    const version = await file.stat({ bigint: true });
    if (version.size > BigInt(EDIT_MAX_BYTES))
      throw new ToolError(
        'TOO_LARGE',
        `'${path}' has ${version.size} bytes; files of more than ${EDIT_MAX_BYTES} are not edited. Use a command.`,
      );
    return { text: textOf(await file.readFile(), path), version };
  } finally {
    await file.close();
  }
}

/** Only text that comes back byte for byte may be edited: anything else would be damaged by being written again. */
function textOf(bytes: Buffer, path: string): string {
  try {
    if (!bytes.includes(0)) return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw notText(path, cause);
  }
  throw notText(path);
}

function notText(path: string, cause?: unknown): ToolError {
  return new ToolError(
    'BINARY_FILE',
    `'${path}' is not UTF-8 text and was left as it is. Edit it with a command.`,
    { cause },
  );
}
