import { readFile, stat } from 'node:fs/promises';
import { type Coordinator, errorInfo } from '@amplifier/core';
import { type Replacement, replaceFile } from './replace-file.js';

/** A file that is larger cannot be put back. */
const MAX_KEPT_BYTES = 5_000_000;

/** Replaces a file and lets whoever keeps changes know what it was before. */
export async function replaceKept(
  coordinator: Pick<Coordinator, 'getCapability' | 'report'>,
  replacement: Replacement,
): Promise<{ created: boolean }> {
  const changes = coordinator.getCapability('session.changes');
  if (!changes) return replaceFile(replacement);
  const before = await contentOf(replacement.path);
  const done = await replaceFile(replacement);
  await changes.keep(replacement.path, before, replacement.content).catch((error) => {
    const message = `What was written to ${replacement.path} cannot be undone later: ${errorInfo(error).message}`;
    coordinator.report({ level: 'warning', code: 'UNDO_UNAVAILABLE', message });
  });
  return done;
}

async function contentOf(path: string): Promise<Buffer | null | undefined> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (found === null) return null;
  return found.isFile() && found.size <= MAX_KEPT_BYTES ? readFile(path) : undefined;
}
