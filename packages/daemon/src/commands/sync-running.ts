import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { AmplifierError } from '@amplifier/core';
import { loadToken } from '../auth/token.js';
import type { DaemonHome, Environment } from '../config.js';
import { findRunning } from '../lifecycle/running-daemon.js';
import type { SyncProgress, SyncReport } from '../profiles/collection-sync.js';
import { print, printError } from './print.js';

type Line = { progress?: SyncProgress; result?: SyncReport; error?: { message: string } };

/** Has the running daemon sync, shows how it goes, and returns the exit code. */
export async function syncRunning(
  home: DaemonHome,
  environment: Environment,
  { collection, update }: { collection: string | undefined; update: boolean },
): Promise<number> {
  const running = await findRunning(home);
  if (!running) {
    throw new AmplifierError(
      'No daemon is running for this home. Start one with `amplifierd serve`; it syncs when it starts.',
      {
        code: 'DAEMON_NOT_RUNNING',
      },
    );
  }
  const { token } = await loadToken(home, environment);
  const response = await fetch(`${running.url}/api/v1/collections/sync`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/x-ndjson',
    },
    body: JSON.stringify({ update, ...(collection ? { collection_id: collection } : {}) }),
  });
  if (!response.ok || !response.body) {
    const problem = (await response.json()) as { detail?: string };
    throw new AmplifierError(problem.detail ?? `The daemon answered ${response.status}.`, {
      code: 'SYNC_REFUSED',
    });
  }
  const lines = createInterface({ input: Readable.fromWeb(response.body as never) });
  let code = 1;
  for await (const text of lines) {
    const { progress, result, error } = JSON.parse(text) as Line;
    if (progress) printError(formatProgress(progress));
    if (error) printError(error.message);
    if (result) code = printReport(result);
  }
  return code;
}

function formatProgress({ collection, profile, phase, percent }: SyncProgress): string {
  return `${phase} ${profile ?? collection}${percent === null ? '' : `: ${percent} %`}`;
}

function printReport({ collections, profiles, problems }: SyncReport): number {
  for (const [id, status] of Object.entries(collections)) print(`${id}: ${status}`);
  for (const [id, status] of Object.entries(profiles)) print(`  ${id}: ${status}`);
  for (const { code, message } of problems) printError(`${code}: ${message}`);
  return problems.length === 0 ? 0 : 1;
}
