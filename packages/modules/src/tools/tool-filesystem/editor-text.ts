import type { ToolContext } from '@amplifier/core';
import { isSamePath, pathState, settledPathState, withLockedPath } from '@amplifier/workspace';
import { grantOf, workingDirOf } from '../session-grant.js';
import { ToolError } from '../tool-error.js';

type OfSession = Pick<ToolContext, 'coordinator'>;

/** Opening a file may make the editor create another one beside it, such as a lock. */
const ATTEMPTS = 2;

/**
 * A file as the user's editor has it, with what was not saved yet; null when the disk counts. `path` is real, and the session may read
 * it. The editor opens it by name, so its text counts only if no command can have put a link in the place of the file or of a
 * folder above it during the call.
 */
export async function readInEditor(context: OfSession, path: string): Promise<string | null> {
  const editor = context.coordinator.getCapability('session.editor_files');
  if (!editor) return null;
  const roots = changeableFolders(context);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = await settledPathState(path, roots);
    if (before === null) return null;
    const text = await editor.read(path);
    if (text === null) return null;
    if (isSamePath(before, await pathState(path, roots))) return text;
  }
  return null;
}

/**
 * Has the editor write a file; false when it is to be written to the disk. `path` is real, and the session may write it. While a command
 * of ours that could replace a folder by a link runs, the editor is not asked, and none starts before it has answered. Throws if
 * another process did so.
 */
export async function writeInEditor(context: OfSession, path: string, content: string): Promise<boolean> {
  const editor = context.coordinator.getCapability('session.editor_files');
  if (!editor) return false;
  const roots = changeableFolders(context);
  const isWritten = await withLockedPath(path, async () => {
    const before = await settledPathState(path, roots);
    if (before === null || !(await editor.write(path, content))) return false;
    if (isSamePath(before, await pathState(path, roots), { exceptLast: true })) return true;
    throw new ToolError(
      'FILE_CHANGED',
      `A folder above ${path} was replaced while the editor wrote the file, so the editor may have written elsewhere. Look where the folder leads, and write the file again.`,
    );
  });
  return isWritten ?? false;
}

/** Where a process of the session can replace files and folders: the working folder too, as an earlier turn may have had more rights. */
function changeableFolders(context: OfSession): string[] {
  return [...grantOf(context).write.allow, workingDirOf(context)];
}
