import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@amplifier/core';
import { ABANDONED_CREATION_MS } from '../defaults.js';
import { isMissing } from './storage-error.js';

/** Creations that never came to their end: nobody waits for them, and nothing refers to them. */
export async function removeAbandoned(folder: string, names: readonly string[], clock: Clock): Promise<void> {
  for (const name of names) {
    if (!name.startsWith('.new-')) continue;
    const path = join(folder, name);
    const found = await stat(path).catch((error) => {
      if (isMissing(error)) return null;
      throw error;
    });
    if (found && found.mtimeMs < clock.now() - ABANDONED_CREATION_MS)
      await rm(path, { recursive: true, force: true });
  }
}
