import type { ProcessIdentity } from '@amplifier/core';
import { all, conditions, get, run, type SqlValue, type Work } from '../database/database.js';
import { refusal } from '../refusals.js';
import type { Backlog, NewRun, RunQuery, RunRecord } from '../run-queue.js';
import { noteOf, putNote } from './notes.js';
import { TENANT_OF } from './session-row.js';

/** A row of `runs`. `is_head`: of its line it is the one whose turn it is. */
export interface RunRow extends Omit<RunRecord, 'payload' | 'result'> {
  payload: string;
  result: string | null;
  process: string | null;
  project: string | null;
  is_head: number;
}

export function publicRun(row: RunRow): RunRecord {
  const { process: _, is_head: __, project: ___, payload, result, ...run } = row;
  return { ...run, payload: JSON.parse(payload), result: result === null ? null : JSON.parse(result) };
}

export function* findRun(run_id: string): Work<RunRow | undefined> {
  return yield* get<RunRow>('SELECT * FROM runs WHERE run_id = ?', run_id);
}

export function* mustFindRun(run_id: string): Work<RunRow> {
  const row = yield* findRun(run_id);
  if (row) return row;
  const message = `There is no run ${run_id} in the queue; ended runs are kept for a week.`;
  throw refusal('RUN_NOT_FOUND', run_id, message);
}

/** That of the tree. */
const PLACE = `SELECT r.place FROM sessions s JOIN sessions r ON r.session_id = s.root_id AND r.deleted IS NULL
  WHERE s.session_id = ? AND s.deleted IS NULL`;

const INSERT = `INSERT INTO runs
  (run_id, session_id, project, line, kind, payload, is_head, enqueued, not_before, priority, caller, place, tenant, status, attempts,
    token)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (${PLACE}), ${TENANT_OF}, 'queued', 0, 0) ON CONFLICT DO NOTHING RETURNING *`;

/** The run, or the one that was added before under its id. Runs that ended before `cutoff` go. */
export function* addRun(
  request: NewRun & { run_id: string; line: string },
  fixed: { text: string; enqueued: string; cutoff: string; project: string | null; tenant: string },
): Work<RunRow> {
  const { run_id, session_id, line, kind, not_before = null, priority = 0, caller = '' } = request;
  const { text, enqueued, cutoff, project, tenant } = fixed;
  const known = yield* findRun(run_id);
  if (known?.session_id === session_id) return known;
  const open = yield* get('SELECT 1 FROM runs WHERE line = ? AND ended IS NULL LIMIT 1', line);
  if (open && request.only_if_idle)
    throw refusal('SESSION_LOCKED', line, `Another run of ${line} has not ended.`);
  yield* run('DELETE FROM runs WHERE ended <= ?', cutoff);
  const values = [run_id, session_id, project, line, kind, text, open ? 0 : 1, enqueued, not_before];
  const row = yield* get<RunRow>(INSERT, ...values, priority, caller, session_id, session_id, tenant);
  if (row) return row;
  throw refusal('RUN_EXISTS', run_id, `The run id ${run_id} is taken. Leave it out to get a new one.`);
}

export function* hasOpenRuns(): Work<boolean> {
  return (yield* get('SELECT 1 FROM runs WHERE is_head = 1 LIMIT 1')) !== undefined;
}

/** Changes a run. `set` is what stands after SET. */
export function* changeRun({ seq }: RunRow, set: string, ...values: SqlValue[]): Work<RunRow> {
  return (yield* get<RunRow>(`UPDATE runs SET ${set} WHERE seq = ? RETURNING *`, ...values, seq)) as RunRow;
}

const FREE = 'owner = NULL, process = NULL, lease_until = NULL';

/** Ends a run, and lets the next of its line begin. */
export function* endRun(
  row: RunRow,
  status: RunRecord['status'],
  at: string,
  result: string | null,
): Work<RunRow> {
  const ended = `status = ?, ended = ?, result = ?, is_head = 0, ${FREE}`;
  const changed = yield* changeRun(row, ended, status, at, result);
  const next = '(SELECT min(seq) FROM runs WHERE line = ? AND ended IS NULL)';
  yield* run(`UPDATE runs SET is_head = 1 WHERE seq = ${next}`, row.line);
  return changed;
}

/** Which runs somebody may execute. */
export interface WantedRuns {
  kinds: readonly string[] | undefined;
  project: string | null;
  /** Null: those of all places. */
  places: readonly string[] | null;
  limits?: RunLimits | undefined;
}

/** How many runs of a tenant, and of one token of it, may run at once; undefined: any number. */
export type RunLimits = (tenant: string) => { all?: number | undefined; each?: number | undefined };

/** The head of a line, and whether heads of several tenants wait. */
type Head = RunRow & { is_shared: unknown };

const OF_TENANTS = "is_head = 1 AND tenant <> ''";

/** Those with runs in line, who was served longest ago first. */
const TENANTS = `WITH RECURSIVE known (tenant) AS (
    SELECT min(tenant) FROM runs WHERE ${OF_TENANTS} UNION ALL
    SELECT (SELECT min(tenant) FROM runs WHERE ${OF_TENANTS} AND tenant > known.tenant) FROM known WHERE known.tenant IS NOT NULL
  ) SELECT t.tenant FROM (SELECT '' AS tenant UNION ALL SELECT tenant FROM known WHERE tenant IS NOT NULL) t
  LEFT JOIN facts f ON f.name = 'served ' || t.tenant ORDER BY coalesce(f.value, ''), t.tenant`;

/**
 * The run that is next: the head of its line, of the wanted kind and place, due, and free or left by its owner. Of several tenants the
 * one whose turn was longest ago comes first, and of the runs of one those of the highest priority.
 */
export function* nextRun(
  wanted: WantedRuns,
  now: string,
  isDead: (process: ProcessIdentity) => Work<boolean>,
): Work<Head | undefined> {
  const dead = new Map<string, boolean>();
  function* isLeft(process: string): Work<boolean> {
    const known = dead.get(process) ?? (yield* isDead(JSON.parse(process) as ProcessIdentity));
    dead.set(process, known);
    return known;
  }
  const running = new Map<string, Running[]>();
  function* isFree(row: RunRow): Work<boolean> {
    if (row.status === 'queued')
      return !wanted.limits || (yield* hasRoom(row, wanted.limits(row.tenant), running));
    if ((row.lease_until ?? '') <= now) return true;
    return row.process !== null && (yield* isLeft(row.process));
  }
  const first = yield* firstFree(wanted, null, now, isFree);
  if (!first?.is_shared) return first;
  for (const { tenant } of yield* all<{ tenant: string }>(TENANTS)) {
    const row = yield* firstFree(wanted, tenant, now, isFree);
    if (row) return row;
  }
  return first;
}

function* firstFree(
  { kinds, project, places }: WantedRuns,
  tenant: string | null,
  now: string,
  isFree: (row: RunRow) => Work<boolean>,
): Work<Head | undefined> {
  const { where, values, add } = conditions('is_head = 1');
  if (tenant !== null) add('tenant = ?', tenant);
  if (tenant !== null && tenant !== '') where.push("tenant <> ''");
  if (places) add(`(place IS NULL OR place IN (${places.map(() => '?').join(', ')}))`, ...places);
  for (let seen = 0; ; seen += 100) {
    const heads = yield* all<Head>(
      `SELECT *, EXISTS (SELECT 1 FROM runs WHERE ${OF_TENANTS}) AS is_shared FROM runs
        WHERE ${where.join(' AND ')} ORDER BY priority DESC, seq LIMIT 100 OFFSET ?`,
      ...values,
      seen,
    );
    for (const row of heads) {
      if (project !== null && row.project !== project) continue;
      if (kinds && !kinds.includes(row.kind)) continue;
      if (row.not_before !== null && row.not_before > now) continue;
      if (yield* isFree(row)) return row;
    }
    if (heads.length < 100) return undefined;
  }
}

/** It is its tenant's turn. */
export function* noteServed({ tenant, is_shared }: Head, token: number): Work<void> {
  if (is_shared) yield* putNote(`served ${tenant}`, String(token));
}

interface Running {
  caller: string;
  count: number;
}

const RUNNING = `SELECT caller, count(*) AS count FROM runs
  WHERE ended IS NULL AND status = 'running' AND tenant = ? AND kind = ? GROUP BY caller`;

/** May another run of its tenant, and of its token, run now? Counted where all who claim see the same. */
function* hasRoom(
  { tenant, caller, kind }: RunRow,
  { all: most, each }: ReturnType<RunLimits>,
  known: Map<string, Running[]>,
): Work<boolean> {
  if (most === undefined && each === undefined) return true;
  const running = known.get(tenant) ?? (yield* all<Running>(RUNNING, tenant, kind));
  known.set(tenant, running);
  const sum = running.reduce((count, row) => count + row.count, 0);
  const own = running.find((row) => row.caller === caller)?.count ?? 0;
  return sum < (most ?? Number.POSITIVE_INFINITY) && own < (each ?? Number.POSITIVE_INFINITY);
}

/** It ended in line, and nobody has said what became of it. There is an index of these. */
export const UNSETTLED = "status = 'cancelled' AND result IS NULL";

export function* listRuns(
  { session_id, status, kind, unsettled, limit, after, before, order }: RunQuery,
  project: string | null,
): Work<RunRow[]> {
  const { where, values, add } = conditions('1 = 1');
  if (project !== null) add('project = ?', project);
  if (session_id !== undefined) add('session_id = ?', session_id);
  if (kind !== undefined) add('kind = ?', kind);
  if (unsettled) where.push(UNSETTLED);
  if (after !== undefined) add('seq > ?', after);
  if (before !== undefined) add('seq < ?', before);
  const statuses = status === undefined ? null : typeof status === 'string' ? [status] : status;
  if (statuses) add(`status IN (${statuses.map(() => '?').join(', ')})`, ...statuses);
  if (statuses?.every((each) => each === 'queued' || each === 'running')) where.push('ended IS NULL');
  const direction = order === 'newest' ? 'DESC' : 'ASC';
  return yield* all<RunRow>(
    `SELECT * FROM runs WHERE ${where.join(' AND ')} ORDER BY seq ${direction} LIMIT ?`,
    ...values,
    limit ?? Number.MAX_SAFE_INTEGER,
  );
}

export function* backlogOf(): Work<Backlog[]> {
  const rows = yield* all<Backlog>(
    `SELECT place, sum(CASE WHEN status = 'queued' THEN 1 ELSE 0 END) AS waiting,
        sum(CASE WHEN status = 'running' THEN 1 ELSE 0 END) AS running,
        min(CASE WHEN status = 'queued' THEN enqueued END) AS oldest
      FROM runs WHERE ended IS NULL GROUP BY place ORDER BY place`,
  );
  return rows.map((row) => ({ ...row }));
}

const TOKEN = 'run_token';

/** Rises with every claim, whatever became of the runs before. */
export function* nextToken(now: number): Work<number> {
  const token = Math.max(Number((yield* noteOf(TOKEN)) ?? 0) + 1, now);
  yield* putNote(TOKEN, String(token));
  return token;
}

/** Back to the head of its line, without counting the attempt. */
export function giveBack(row: RunRow, not_before: string | null = row.not_before): Work<RunRow> {
  return changeRun(row, `status = 'queued', attempts = attempts - 1, not_before = ?, ${FREE}`, not_before);
}
