import type { ProcessIdentity } from '@amplifier/core';
import { all, allWithin, conditions, get, run, type SqlValue, type Work } from '../database/database.js';
import { jsonText } from '../json-text.js';
import { MOST_MESSAGES } from '../number-records.js';
import { refusal } from '../refusals.js';
import type {
  Backlog,
  BacklogOptions,
  ClaimOptions,
  NewRun,
  PutBack,
  RunEvent,
  RunQuery,
  RunRecord,
  RunStatus,
} from '../run-queue.js';
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

export function findRun(run_id: string): Work<RunRow | undefined> {
  return get('SELECT * FROM runs WHERE run_id = ?', run_id);
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

/** `isNew`: it was not there before. `next`: the kind of the run that begins in the line that a replaced one leaves. */
interface Added {
  row: RunRow;
  isNew: boolean;
  next?: string | undefined;
}

/** The run, or the one that was added before under its id. Runs that ended before `cutoff` go. */
export function* addRun(
  request: NewRun & { run_id: string; line: string },
  fixed: { text: string; enqueued: string; cutoff: string; project: string | null; tenant: string },
): Work<Added> {
  const { run_id, session_id, line, kind, not_before = null, priority = 0, caller = '' } = request;
  const { text, enqueued, cutoff, project, tenant } = fixed;
  const known = yield* findRun(run_id);
  if (known?.session_id === session_id) return { row: known, isNew: false };
  const open = yield* get('SELECT 1 FROM runs WHERE line = ? AND ended IS NULL LIMIT 1', line);
  if (open && request.only_if_idle)
    throw refusal('SESSION_LOCKED', line, `Another run of ${line} has not ended.`);
  yield* run('DELETE FROM runs WHERE ended <= ?', cutoff);
  const values = [run_id, session_id, project, line, kind, text, open ? 0 : 1, enqueued, not_before];
  const row = yield* get<RunRow>(INSERT, ...values, priority, caller, session_id, session_id, tenant);
  if (row) return { row, isNew: true };
  throw refusal('RUN_EXISTS', run_id, `The run id ${run_id} is taken. Leave it out to get a new one.`);
}

const REPLACED = `DELETE FROM runs WHERE run_id = ? AND (ended IS NOT NULL OR (status = 'queued' AND session_id = ?))
  RETURNING line, is_head`;

/** Adds a run in the place of an ended one with its id, with `again` also of one of its session that is queued. */
export function* replaceRun(...args: Parameters<typeof addRun>): Work<Added> {
  const [{ run_id, session_id, again }] = args;
  const old = yield* get<Pick<RunRow, 'line' | 'is_head'>>(REPLACED, run_id, again ? session_id : null);
  const next = old?.is_head ? yield* beginNext(old.line) : undefined;
  const added = yield* addRun(...args);
  if (added.isNew) return { ...added, next };
  throw refusal('RUN_EXISTS', run_id, `Run ${run_id} has not ended.`);
}

/** Changes a run. `set` is what stands after SET. */
export function* changeRun({ seq }: RunRow, set: string, ...values: SqlValue[]): Work<RunRow> {
  return (yield* get<RunRow>(`UPDATE runs SET ${set} WHERE seq = ? RETURNING *`, ...values, seq)) as RunRow;
}

const FREE = 'owner = NULL, process = NULL, lease_until = NULL';
const ENDED = `status = ?, ended = ?, result = ?, is_head = 0, ${FREE}`;
const NEXT_OF_LINE = `UPDATE runs SET is_head = 1
  WHERE seq = (SELECT min(seq) FROM runs WHERE line = ? AND ended IS NULL) RETURNING kind`;

/** Ends a run, and lets the next of its line begin. `next`: the kind of that one. */
export function* endRun(
  row: RunRow,
  status: RunStatus,
  at: string,
  result: string | null = null,
): Work<{ row: RunRow; next?: string | undefined }> {
  const changed = yield* changeRun(row, ENDED, status, at, result);
  // Runs move between lines, so one with a lower number may wait behind the head.
  return { row: changed, next: row.is_head ? yield* beginNext(row.line) : undefined };
}

function* beginNext(line: string): Work<string | undefined> {
  return (yield* get<{ kind: string }>(NEXT_OF_LINE, line))?.kind;
}

/** Puts a claimed run back, without counting the attempt. `next`: the kind of the run that begins where it leaves its line. */
export function* giveBack(
  row: RunRow,
  { not_before = row.not_before, line = row.line, payload }: PutBack = {},
): Work<{ row: RunRow; next?: string | undefined }> {
  const text = payload === undefined ? null : jsonText(payload, row.run_id);
  const isMoved = line !== row.line;
  const open = isMoved && (yield* get('SELECT 1 FROM runs WHERE line = ? AND ended IS NULL LIMIT 1', line));
  const set = `status = 'queued', attempts = attempts - 1, not_before = ?, line = ?, payload = coalesce(?, payload), is_head = ?, ${FREE}`;
  const changed = yield* changeRun(row, set, not_before, line, text, open ? 0 : 1);
  return { row: changed, next: isMoved ? yield* beginNext(row.line) : undefined };
}

/**
 * How many runs of a kind may run at once: of a tenant, and of each of its callers; undefined: any number. `isFair`: of equal priority,
 * those of the caller with the fewest active runs go first.
 */
export type RunLimits = (
  tenant: string,
  kind: string,
) => { all?: number | undefined; each?: number | undefined; isFair?: boolean };

/** Which runs somebody may execute. */
interface WantedRuns {
  kinds: readonly string[] | undefined;
  project: string | null;
  /** Null: those of all places. */
  places: readonly string[] | null;
  limits: RunLimits | undefined;
  now: string;
  isDead: (process: ProcessIdentity) => Work<boolean>;
}

const OF_TENANTS = "is_head = 1 AND tenant <> ''";

/** Those with runs in line, who was served longest ago first. */
const TENANTS = `WITH RECURSIVE known (tenant) AS (
    SELECT min(tenant) FROM runs WHERE ${OF_TENANTS} UNION ALL
    SELECT (SELECT min(tenant) FROM runs WHERE ${OF_TENANTS} AND tenant > known.tenant) FROM known WHERE known.tenant IS NOT NULL
  ) SELECT t.tenant FROM (SELECT '' AS tenant UNION ALL SELECT tenant FROM known WHERE tenant IS NOT NULL) t
  LEFT JOIN facts f ON f.name = ? || t.tenant ORDER BY coalesce(f.value, ''), t.tenant`;

const RUNNING = `SELECT caller, count(*) AS count FROM runs
  WHERE is_head = 1 AND status = 'running' AND tenant = ? AND kind = ? GROUP BY caller`;

/** The head of a line, and whether heads of several tenants wait. */
type Head = RunRow & { is_shared: unknown };

/** A run to claim, and the name of the note of its tenant's turn; null where there are no turns. */
export interface NextRun {
  row: RunRow;
  turn: string | null;
}

/** Null: it cannot be claimed; else what counts against it where others of its priority can be. */
type IsFree = (row: RunRow) => Work<number | null>;

/** The next run: a head that is wanted, due, and free or left by its owner. First by whose turn was longest ago, then by priority. */
export function* nextRun(wanted: WantedRuns): Work<NextRun | undefined> {
  const { kinds = [], limits, now } = wanted;
  const isLeft = once((process) => wanted.isDead(JSON.parse(process)));
  const runningOf = once((tenant, kind) => all<{ caller: string; count: number }>(RUNNING, tenant, kind));
  // Runs are counted here, where all who claim see the same.
  function* isFree({ status, tenant, kind, caller, lease_until, process }: RunRow): Work<number | null> {
    if (status !== 'queued')
      return (lease_until ?? '') <= now || (process !== null && (yield* isLeft(process))) ? 0 : null;
    const { all: most = Infinity, each = Infinity, isFair } = limits?.(tenant, kind) ?? {};
    if (Math.min(most, each) === Infinity) return 0;
    const running = yield* runningOf(tenant, kind);
    const own = running.find((row) => row.caller === caller)?.count ?? 0;
    if (own >= each || running.reduce((sum, { count }) => sum + count, 0) >= most) return null;
    return isFair ? own : 0;
  }
  const first = yield* firstFree(wanted, null, isFree);
  if (!first) return undefined;
  if (!first.is_shared) return { row: first, turn: null };
  // Those of one kind do not cost a tenant its turn for another.
  const turns = `served ${kinds} `;
  for (const { tenant } of yield* all<{ tenant: string }>(TENANTS, turns)) {
    const row = yield* firstFree(wanted, tenant, isFree);
    if (row) return { row, turn: turns + tenant };
  }
  return { row: first, turn: turns + first.tenant };
}

/** Asks only once about each thing. */
function once<T>(ask: (...about: string[]) => Work<T>): typeof ask {
  const known = new Map<string, T>();
  return function* (...about) {
    const key = about.join(' ');
    if (!known.has(key)) known.set(key, yield* ask(...about));
    return known.get(key) as T;
  };
}

function* firstFree(
  { kinds, project, places, now }: WantedRuns,
  tenant: string | null,
  isFree: IsFree,
): Work<Head | undefined> {
  const { where, values, add } = conditions('is_head = 1');
  if (tenant !== null) add('tenant = ?', tenant);
  if (tenant) add("tenant <> ''");
  if (kinds) add(among('kind', kinds), ...kinds);
  if (places) add(`(place IS NULL OR ${among('place', places)})`, ...places);
  const sql = `SELECT *, EXISTS (SELECT 1 FROM runs WHERE ${OF_TENANTS}) AS is_shared FROM runs
    WHERE ${where.join(' AND ')} ORDER BY priority DESC, seq LIMIT 100 OFFSET ?`;
  let best: { row: Head; count: number } | undefined;
  for (let seen = 0; ; seen += 100) {
    const heads = yield* all<Head>(sql, ...values, seen);
    for (const row of heads) {
      if (best && row.priority < best.row.priority) return best.row;
      if (project !== null && row.project !== project) continue;
      if (row.not_before !== null && row.not_before > now) continue;
      const count = yield* isFree(row);
      if (count === 0) return row;
      if (count !== null && (!best || count < best.count)) best = { row, count };
    }
    if (heads.length < 100) return best?.row;
  }
}

function among(column: string, values: readonly string[]): string {
  return `${column} IN (${values.map(() => '?').join(', ')})`;
}

/** When the next head may become free: '' if that can be at any time. */
export function* nextTime({ kinds }: ClaimOptions): Work<string | null> {
  const { where, values, add } = conditions('is_head = 1');
  if (kinds) add(among('kind', kinds), ...kinds);
  const sql = `SELECT min(CASE WHEN status = 'queued' THEN coalesce(not_before, '') ELSE '' END) AS at FROM runs
    WHERE ${where.join(' AND ')}`;
  return (yield* get<{ at: string | null }>(sql, ...values))?.at ?? null;
}

const TOKEN = 'run_token';
const CLAIMED = `status = 'running', token = ?, owner = ?, process = ?, lease_until = ?, started = coalesce(started, ?),
  attempts = attempts + 1`;

/** Gives a run to a process, until it is told otherwise. Tokens rise with every claim, whatever became of the runs before. */
export function* claimRun(
  { row, turn }: NextRun,
  self: ProcessIdentity,
  now: number,
  until: string,
): Work<RunRow> {
  const token = Math.max(Number((yield* noteOf(TOKEN)) ?? 0) + 1, now);
  yield* putNote(TOKEN, String(token));
  if (turn !== null) yield* putNote(turn, String(token));
  const held = [`${self.host}:${self.pid}`, JSON.stringify(self), until, new Date(now).toISOString()];
  return yield* changeRun(row, CLAIMED, token, ...held);
}

/** Events of runs have no number in the log of their session: theirs count down from below those of messages. */
const RUN_EVENT = `INSERT INTO events (session, root_id, seq, body) SELECT n, root_id, (SELECT coalesce(min(seq), 1 - ${MOST_MESSAGES}) - 1
    FROM events WHERE session = sessions.n AND seq <= -${MOST_MESSAGES}), ? FROM sessions WHERE session_id = ? AND deleted IS NULL`;

/** Puts an event of a run into the feed. */
export function addRunEvent(session_id: string, event: RunEvent, time: string): Work<number> {
  const { id, name, data } = event;
  return run(RUN_EVENT, jsonText({ id, time, name, data }, session_id), session_id);
}

export function* listRuns(query: RunQuery, project: string | null): Work<RunRow[]> {
  const { session_id, status, kind, after, before, order, limit, bytes } = query;
  const { where, values, add } = conditions('1 = 1');
  if (project !== null) add('project = ?', project);
  if (session_id !== undefined) add('session_id = ?', session_id);
  if (kind !== undefined) add('kind = ?', kind);
  if (after !== undefined) add('seq > ?', after);
  if (before !== undefined) add('seq < ?', before);
  const statuses = [status ?? []].flat();
  if (status !== undefined) add(`status IN (NULL${', ?'.repeat(statuses.length)})`, ...statuses);
  if (status !== undefined && statuses.every((each) => each === 'queued' || each === 'running'))
    add('ended IS NULL');
  const rest = `${where.join(' AND ')} ORDER BY seq ${order === 'newest' ? 'DESC' : 'ASC'} LIMIT ?`;
  const sql = `SELECT * FROM runs WHERE ${rest}`;
  const most = limit ?? Number.MAX_SAFE_INTEGER;
  if (bytes === undefined) return yield* all<RunRow>(sql, ...values, most);
  return yield* allWithin<RunRow>({ bytes, columns: ['payload', 'result'] }, sql, ...values, most);
}

export function* backlogOf({ kinds, but }: BacklogOptions): Work<Backlog[]> {
  const { where, values, add } = conditions('ended IS NULL');
  if (kinds) add(among('kind', kinds), ...kinds);
  if (but) add(`NOT ${among('kind', but)}`, ...but);
  const rows = yield* all<Backlog>(
    `SELECT place, count(*) FILTER (WHERE status = 'queued') AS waiting,
      count(*) FILTER (WHERE status = 'running') AS running, min(enqueued) FILTER (WHERE status = 'queued') AS oldest
      FROM runs WHERE ${where.join(' AND ')} GROUP BY place ORDER BY place`,
    ...values,
  );
  return rows.map((row) => ({ ...row }));
}
