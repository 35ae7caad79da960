import type { ArchivedRuns, StoredRun } from './run-archive.js';
import { isEnded } from './run-queue.js';

/** The queue on disk, without what came after in the journal. */
export interface RunSnapshot {
  version: 2;
  generation: number;
  seq: number;
  token: number;
  runs: StoredRun[];
  tokens: Record<string, number>;
  ended: ArchivedRuns[];
}

export function parseSnapshot(text: Buffer): RunSnapshot | null {
  try {
    const snapshot: RunSnapshot = JSON.parse(text.toString('utf8'));
    const isWhole = Number.isInteger(snapshot?.generation) && Array.isArray(snapshot.runs);
    return isWhole ? current(snapshot) : null;
  } catch {
    return null;
  }
}

/** The first version kept ended runs in the snapshot, and knew no lines but those of sessions. */
function current(snapshot: RunSnapshot | (Omit<RunSnapshot, 'version'> & { version: 1 })): RunSnapshot {
  if (snapshot.version === 2) return snapshot;
  const runs = snapshot.runs.map((run) => ({ ...run, line: run.session_id }));
  const open = new Set(runs.filter((run) => !isEnded(run)).map(({ line }) => line));
  const tokens = Object.fromEntries(Object.entries(snapshot.tokens).filter(([line]) => open.has(line)));
  const token = Object.values(snapshot.tokens).reduce((a, b) => Math.max(a, b), 0);
  return { ...snapshot, version: 2, runs, tokens, token, ended: [] };
}
