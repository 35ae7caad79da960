import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorInfo } from '@amplifier/core';
import { REBUILD_PARALLEL } from '../defaults.js';
import { hasCode } from '../session-error.js';
import { isSessionId } from '../session-ids.js';
import type { SessionLog } from '../session-log.js';
import { reindex } from './remove-sessions.js';
import { type StoreContext, warn } from './store-context.js';
import { WriterLock } from './writer-lock.js';

/** Takes each session whose owner died for a moment, which mends it and tells the feed, and tells the index as well. */
export async function recoverSessions(
  context: StoreContext,
  open: (session_id: string) => Promise<SessionLog>,
): Promise<string[]> {
  const { folder, liveness, report } = context;
  const names = (await readdir(folder)).filter(isSessionId).values();
  const recovered: string[] = [];
  const lane = async () => {
    for (const session_id of names) {
      try {
        if (!WriterLock.isLeft(join(folder, session_id), liveness)) continue;
        await using _ = await open(session_id);
        await reindex(context, session_id);
        recovered.push(session_id);
      } catch (error) {
        // Somebody else has it now, and does the same; a damaged one is told of to whoever asks for it.
        if (hasCode(error, 'SESSION_LOCKED')) continue;
        warn(report, 'SESSION_SKIPPED', errorInfo(error).message, error);
      }
    }
  };
  await Promise.all(Array.from({ length: REBUILD_PARALLEL }, lane));
  return recovered.sort();
}
