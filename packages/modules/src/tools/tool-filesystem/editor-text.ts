import type { ToolContext } from '@amplifier/core';
import type { FileAccess } from './file-access.js';

/** A file as the user's editor has it, with what was not saved yet; null when the disk counts. */
export async function editorText(
  access: FileAccess,
  context: ToolContext,
  path: string,
): Promise<string | null> {
  const editor = context.coordinator.getCapability('session.editor_files');
  return editor ? editor.read(await access.resolve(context, 'read', path)) : null;
}
