import { errorInfo, type LoopHealth } from '@amplifier/core';
import type { Check } from '@amplifier/host';
import { loadToken } from '../auth/token.js';
import type { DaemonHome, Environment } from '../config.js';
import { HEALTH_ANSWER_MS } from '../defaults.js';
import { placeRecordOf } from '../lifecycle/place-record.js';
import { type FoundDaemon, findRunning } from '../lifecycle/running-daemon.js';

/** What a running daemon reports about itself. */
export interface DaemonHealth {
  running: FoundDaemon;
  /** Why it cannot serve now; null when it can. */
  unready: string | null;
  /** What is amiss with what serves for ever, a sentence each. */
  problems: string[];
}

/** Asks the daemon of a home how it is. Null when none is running. */
export async function askHealth(home: DaemonHome, environment: Environment): Promise<DaemonHealth | null> {
  const running = await findRunning(await placeRecordOf(home, environment));
  if (!running) return null;
  try {
    const { token } = await loadToken(home, environment);
    const ready = await ask(`${running.url}/readyz`, token);
    const status = await ask(`${running.url}/api/v1/status`, token);
    const loops = (status.body.loops ?? ready.body.loops ?? []) as LoopHealth[];
    const notes = (ready.body.notes ?? []) as string[];
    return {
      running,
      unready: ready.isOk ? null : String(ready.body.detail),
      problems: [...loops.flatMap(loopProblem), ...notes],
    };
  } catch (error) {
    return { running, unready: `It does not respond: ${errorInfo(error).message}`, problems: [] };
  }
}

/** The checks of `doctor` about a daemon. `at` says where it runs. */
export function daemonChecks(
  name: 'amplifierd' | 'amplifier serve',
  at: string,
  { unready, problems }: Pick<DaemonHealth, 'unready' | 'problems'>,
): Check[] {
  const own: Check =
    unready === null
      ? { name, state: 'ok', detail: `${at}, ready` }
      : {
          name,
          state: 'broken',
          detail: `${at}: ${unready}`,
          fix: `see its log; stop it with: ${name} stop`,
        };
  return [own, ...problems.map((detail): Check => ({ name, state: 'missing', detail }))];
}

export function loopProblem({ name, state, set_aside, last_error }: LoopHealth): string[] {
  const last = last_error ? ` Last (${last_error.time}): ${last_error.message}` : '';
  if (state === 'retrying') return [`${name}: failing, will be retried.${last}`];
  return set_aside > 0 ? [`${name}: ${set_aside} skipped since the start.${last}`] : [];
}

async function ask(url: string, token: string): Promise<{ isOk: boolean; body: Record<string, unknown> }> {
  const response = await fetch(url, {
    signal: AbortSignal.timeout(HEALTH_ANSWER_MS),
    headers: { authorization: `Bearer ${token}` },
  });
  return { isOk: response.ok, body: (await response.json()) as Record<string, unknown> };
}
