import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorInfo } from '@amplifier/core';
import { hasCode, isSessionId } from '@amplifier/sessions';
import { STARTUP_PARALLEL } from '../defaults.js';
import type { Services } from '../services.js';

const HELD = /^\.lock\.\d+$/;

/**
 * After a crash: sessions that were open may hold events that the feed was not told of any more. Taking such a session
 * tells it, so that the stream of all sessions and the webhooks miss nothing.
 */
export async function republishMissed({
  home,
  logs,
  report,
}: Pick<Services, 'home' | 'logs' | 'report'>): Promise<void> {
  const folder = join(home.state, 'sessions');
  const names = (await readdir(folder)).filter(isSessionId).values();
  const lane = async () => {
    for (const session_id of names) {
      if (!(await isHeld(join(folder, session_id)))) continue;
      try {
        await logs.use(session_id, async () => undefined);
        await logs.release(session_id);
      } catch (error) {
        // Another program's, or damaged: whoever asks for it is told.
        if (hasCode(error, 'SESSION_LOCKED')) continue;
        const { message } = errorInfo(error);
        report({ level: 'warning', code: 'SESSION_SKIPPED', message });
      }
    }
  };
  await Promise.all(Array.from({ length: STARTUP_PARALLEL }, lane));
}

async function isHeld(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).some((name) => HELD.test(name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR' || code === 'ENOENT') return false;
    throw error;
  }
}
