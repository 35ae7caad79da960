import { setTimeout as wait } from 'node:timers/promises';
import { AmplifierError } from '@amplifier/core';
import type { DaemonHome } from '../config.js';
import { SHUTDOWN_TIMEOUT_MS } from '../defaults.js';
import { findRunning } from '../lifecycle/running-daemon.js';

const LOOK_AGAIN_MS = 50;

/** Asks the daemon to end, and waits until its home is free. */
export async function stopRunning(home: DaemonHome): Promise<string> {
  const running = await findRunning(home);
  if (!running) return 'not running';
  if (!running.isHere)
    throw new AmplifierError(
      `The daemon of ${home.home} runs as process ${running.pid} of another container or machine. Stop it there. If it is gone, it loses the home within a minute.`,
      { code: 'DAEMON_ELSEWHERE', origin: home.home },
    );
  process.kill(running.pid, 'SIGTERM');
  for (let waited = 0; waited < 2 * SHUTDOWN_TIMEOUT_MS; waited += LOOK_AGAIN_MS) {
    if (!(await findRunning(home))) return `stopped: process ${running.pid}`;
    await wait(LOOK_AGAIN_MS);
  }
  throw new AmplifierError(
    `Process ${running.pid} has not ended after ${(2 * SHUTDOWN_TIMEOUT_MS) / 1000} s. To end it: kill ${running.pid}.`,
    { code: 'DAEMON_STUCK' },
  );
}
