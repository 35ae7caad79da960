import { dirname } from 'node:path';
import { AmplifierError, type Coordinator, errorInfo } from '@amplifier/core';
import { openInside } from '@amplifier/workspace';
import { type Replacement, replaceFile } from './replace-file.js';

/** A larger file cannot be restored. */
const MAX_KEPT_BYTES = 5_000_000;

/** Replaces a file and lets whoever keeps changes know what it was before. */
export async function replaceKept(
  coordinator: Pick<Coordinator, 'getCapability' | 'report'>,
  replacement: Replacement,
): Promise<{ created: boolean }> {
  const changes = coordinator.getCapability('session.changes');
  if (!changes) return replaceFile(replacement);
  const before = await contentOf(replacement);
  const done = await replaceFile(replacement);
  await changes.keep(replacement.path, before, replacement.content).catch((error) => {
    const message = `What was written to ${replacement.path} cannot be undone later: ${errorInfo(error).message}`;
    coordinator.report({ level: 'warning', code: 'UNDO_UNAVAILABLE', message });
  });
  return done;
}

/** Opened without following links: a command may replace the file by one. Undefined also for what the session may not read. */
async function contentOf({ grant, path }: Replacement): Promise<Buffer | null | undefined> {
  try {
    await using file = await openInside(grant, 'read', path, { cwd: dirname(path) });
    return (await file.stat()).size <= MAX_KEPT_BYTES ? await file.readFile() : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    if (AmplifierError.is(error) || code === 'EACCES') return undefined;
    throw error;
  }
}
