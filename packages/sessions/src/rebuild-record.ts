import { existsSync } from 'node:fs';
import { readdir, rename } from 'node:fs/promises';
import { isoTime, type Report, systemClock } from '@amplifier/core';
import type { CopyLayout } from './copies/copy-layout.js';
import { openSessionStore } from './open-record.js';

/**
 * Sets a damaged record aside under another name and makes a new one from the readable copies. Nobody else may have it open.
 * Returns where the damaged one is now, and how many sessions came back.
 */
export async function rebuildRecord(
  file: string,
  layout: CopyLayout,
  projects: string | null,
  report: Report,
): Promise<{ set_aside: string | null; sessions: number }> {
  const stamp = isoTime(systemClock).replace(/[:.]/g, '-');
  const set_aside = existsSync(file) ? `${file}.damaged-${stamp}` : null;
  for (const suffix of set_aside === null ? [] : ['', '-wal', '-shm'])
    if (existsSync(file + suffix)) await rename(file + suffix, `${file}.damaged-${stamp}${suffix}`);
  const names = projects === null ? [null] : await readdir(projects).catch(() => []);
  let sessions = 0;
  for (const project of names) {
    await using store = await openSessionStore(file, { project });
    sessions += await store.adoptFrom(layout.folderOf(project), report, { copies: true });
  }
  return { set_aside, sessions };
}
