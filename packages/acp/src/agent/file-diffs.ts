import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ToolCallContent } from '@agentclientprotocol/sdk';
import { isPlainObject, type JsonObject } from '@amplifier/core';

/** A file beyond this is named and not shown. */
const SHOWN_BYTES = 1024 * 1024;

/** What a tool call that writes a file would change in it, as an editor shows it. Empty where that cannot be told beforehand. */
export async function diffOfCall(
  tool: string,
  input: JsonObject,
  read: (path: string) => Promise<string | null>,
): Promise<ToolCallContent[]> {
  const path = input.file_path;
  if (typeof path !== 'string') return [];
  if (tool === 'write_file' && typeof input.content === 'string')
    return [{ type: 'diff', path, oldText: await read(path), newText: input.content }];
  const edits = tool === 'edit_file' ? [input] : tool === 'multi_edit' ? input.edits : [];
  if (!Array.isArray(edits) || edits.length === 0) return [];
  const before = await read(path);
  if (before === null) return [];
  const after = edits.filter(isPlainObject).reduce(replaced, before);
  return after === before ? [] : [{ type: 'diff', path, oldText: before, newText: after }];
}

function replaced(text: string, { old_string, new_string, replace_all }: JsonObject): string {
  if (typeof old_string !== 'string' || typeof new_string !== 'string' || old_string === '') return text;
  return replace_all === true
    ? text.split(old_string).join(new_string)
    : text.replace(old_string, () => new_string);
}

/** Null when there is no such file, or none that can be shown. */
export async function textOnDisk(path: string): Promise<string | null> {
  const bytes = await readFile(path).catch(() => null);
  return bytes === null || bytes.length > SHOWN_BYTES || bytes.includes(0) ? null : bytes.toString('utf8');
}

/** The hunks of a unified diff, file by file: what stood there and what is to stand there. */
export function diffsOfPatch(diff: string, target: string): (ToolCallContent & { type: 'diff' })[] {
  return diff
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith('diff --git '))
    .flatMap((part) => {
      const [, oldName = '/dev/null', newName = '/dev/null'] =
        /^--- (?:a\/)?(.+)\n\+\+\+ (?:b\/)?(.+)$/m.exec(part) ?? [];
      const name = newName === '/dev/null' ? oldName : newName;
      const at = part.indexOf('\n@@');
      if (name === '/dev/null' || at === -1) return [];
      const lines = part.slice(at + 1).split('\n');
      const side = (signs: string) =>
        lines
          .filter((line) => line !== '' && signs.includes(line.charAt(0)))
          .map((line) => `${line.slice(1)}\n`)
          .join('');
      const oldText = oldName === '/dev/null' ? null : side(' -');
      return [{ type: 'diff' as const, path: resolve(target, name), oldText, newText: side(' +') }];
    });
}
