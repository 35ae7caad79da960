import {
  Bell,
  type Clock,
  isoTime,
  type JsonObject,
  type Liveness,
  type ProcessIdentity,
  type RandomBytes,
  systemClock,
  systemLiveness,
  ulidSource,
} from '@amplifier/core';
import { type Database, get, run, type Work } from '../database/database.js';
import { isDead, ownIdentity, recordClock } from '../database/presence.js';
import { bindDatabase } from '../database/tenant-database.js';
import { LEASE_MS, LIVENESS_CHECK_MS, MAX_ATTEMPTS, RUN_RETENTION_MS } from '../defaults.js';
import { jsonText } from '../json-text.js';
import { fenced, refusal } from '../refusals.js';
import type { Backlog, Claim, ClaimOptions, NewRun, RunQuery, RunQueue, RunRecord } from '../run-queue.js';
import { SessionError } from '../session-error.js';
import { checkSessionId } from '../session-ids.js';
import { newsOf } from './follow.js';
import {
  backlogOf,
  changeRun,
  endRun,
  findRun,
  giveBack,
  listRuns,
  mustFindRun,
  nextRun,
  nextToken,
  noteServed,
  publicRun,
  type RunLimits,
  type RunRow,
  UNSETTLED,
} from './run-rows.js';
import { TENANT_OF } from './session-row.js';
import { runTopic, TOPIC_RUNS } from './topic-names.js';

export interface SqlRunQueueOptions {
  /** Whose runs are enqueued, claimed and listed, by the slug of the project. Default: those of all. */
  project?: string | null;
  /** Where this process is: it claims runs that have to be executed there, and those that may be anywhere. Default: its host, where several share the database, else all. */
  places?: readonly string[] | null;
  /** How many runs of a tenant, and of each of its tokens, may run at once, wherever. Default: any number. */
  limits?: RunLimits;
  clock?: Clock;
  random?: RandomBytes;
  liveness?: Liveness;
  /** How long a claim lasts without a sign of life. */
  leaseMs?: number;
  maxAttempts?: number;
}

/** That of the tree. */
const PLACE = `SELECT r.place FROM sessions s JOIN sessions r ON r.session_id = s.root_id AND r.deleted IS NULL
  WHERE s.session_id = ? AND s.deleted IS NULL`;

const INSERT = `INSERT INTO runs
  (run_id, session_id, project, line, kind, payload, is_head, enqueued, not_before, priority, caller, place, tenant, status, attempts,
    token)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (${PLACE}), ${TENANT_OF}, 'queued', 0, 0) ON CONFLICT DO NOTHING RETURNING *`;

/** Turns that wait in a database. `release` is called when the queue is closed. */
export class SqlRunQueue implements RunQueue {
  readonly #database: Database;
  readonly #options: SqlRunQueueOptions;
  readonly #clock: Clock;
  readonly #liveness: Liveness;
  readonly #ulid: () => string;
  readonly #held = new Map<string, Claim>();
  readonly #bells = new Set<Bell>();
  readonly #release: () => Promise<void>;
  readonly #places: readonly string[] | null;
  #isClosed = false;

  constructor(database: Database, options: SqlRunQueueOptions = {}, release = async () => {}) {
    this.#database = database;
    this.#options = options;
    this.#release = release;
    this.#clock = recordClock(database, options.clock ?? systemClock);
    this.#liveness = options.liveness ?? systemLiveness;
    this.#places = options.places ?? (database.presence ? [this.#liveness.self.host] : null);
    this.#ulid = ulidSource(this.#clock, options.random);
  }

  /** The runs of one tenant, for as long as this queue is open. */
  of(tenant: string): RunQueue {
    return new SqlRunQueue(bindDatabase(this.#database, tenant), this.#options);
  }

  async enqueue(request: NewRun): Promise<RunRecord> {
    const { session_id, line = session_id, kind, payload = {}, not_before = null, priority = 0 } = request;
    const { caller = '' } = request;
    const run_id = request.run_id ?? `run_${this.#ulid()}`;
    checkSessionId(session_id);
    checkSessionId(line);
    const text = jsonText(payload, session_id);
    const enqueued = isoTime(this.#clock);
    const cutoff = new Date(this.#clock.now() - RUN_RETENTION_MS).toISOString();
    const { project = null } = this.#options;
    const { tenant = '' } = this.#database;
    const row = await this.#write(function* () {
      const known = yield* findRun(run_id);
      if (known?.session_id === session_id) return known;
      const open = yield* get('SELECT 1 FROM runs WHERE line = ? AND ended IS NULL LIMIT 1', line);
      if (open && request.only_if_idle) throw busyLine(line);
      yield* run('DELETE FROM runs WHERE ended <= ?', cutoff);
      const values = [run_id, session_id, project, line, kind, text, open ? 0 : 1, enqueued, not_before];
      const row = yield* get<RunRow>(INSERT, ...values, priority, caller, session_id, session_id, tenant);
      if (row) return row;
      throw refusal('RUN_EXISTS', run_id, `The run id ${run_id} is taken. Leave it out to get a new one.`);
    }, run_id);
    return publicRun(row);
  }

  async claim({ kinds }: ClaimOptions = {}): Promise<Claim | null> {
    this.#requireOpen();
    const isGone = (process: ProcessIdentity) => isDead(this.#database, this.#liveness, process);
    const { project = null, limits } = this.#options;
    const wanted = { kinds, project, places: this.#places, limits };
    const next = () => nextRun(wanted, isoTime(this.#clock), isGone);
    // Most who ask find nothing to do, and need not keep others from writing for that.
    if (!(await this.#database.read(next, [TOPIC_RUNS]))) return null;
    const changed = new Set<string>();
    const row = await this.#write(() => this.#claimNext(next, changed));
    this.#database.tell([...changed].map(runTopic));
    if (!row) return null;
    const claim = { run: publicRun(row), token: row.token };
    this.#held.set(row.run_id, claim);
    return claim;
  }

  async *claims({ kinds, signal }: ClaimOptions & { signal?: AbortSignal } = {}): AsyncGenerator<Claim> {
    const next = async () => (this.#isClosed ? null : this.claim(kinds ? { kinds } : {}));
    const bell = new Bell();
    let cancel: (() => void) | undefined;
    try {
      for await (const _ of this.#news(TOPIC_RUNS, signal, bell)) {
        cancel?.();
        for (let claim = await next(); claim; claim = await next()) {
          yield claim;
          if (signal?.aborted) return;
        }
        // Death and time make no sound, so they are looked for while something might still become free.
        if (await this.#hasOpenRuns()) cancel = this.#clock.after(LIVENESS_CHECK_MS, () => bell.ring());
      }
    } finally {
      cancel?.();
    }
  }

  async keepAlive(claim: Claim): Promise<RunRecord> {
    const until = this.#leaseEnd();
    return this.#whileHeld(claim, (row) => changeRun(row, 'lease_until = ?', until));
  }

  async finish(claim: Claim, result?: JsonObject): Promise<RunRecord> {
    const at = isoTime(this.#clock);
    const text = result === undefined ? null : jsonText(result, claim.run.run_id);
    const { row, isHeld } = await this.#act(claim, (row) => endRun(row, 'finished', at, text));
    this.#held.delete(row.run_id);
    // Said twice, it was finished the first time.
    if (isHeld || (row.status === 'finished' && row.token === claim.token)) return publicRun(row);
    throw fenced(`Run ${row.run_id}`);
  }

  async release(claim: Claim, not_before?: string): Promise<void> {
    await this.#whileHeld(claim, (row) => giveBack(row, not_before));
    this.#held.delete(claim.run.run_id);
  }

  async cancel(run_id: string, reason: string): Promise<RunRecord> {
    const at = isoTime(this.#clock);
    const row = await this.#write(function* () {
      const row = yield* mustFindRun(run_id);
      if (row.ended !== null) return row;
      const asked = yield* changeRun(row, 'cancel_requested = coalesce(cancel_requested, ?)', reason);
      return row.status === 'queued' ? yield* endRun(row, 'cancelled', at, null) : asked;
    }, run_id);
    return publicRun(row);
  }

  async settle(run_id: string, result: JsonObject): Promise<void> {
    const text = jsonText(result, run_id);
    await this.#write(
      () => run(`UPDATE runs SET result = ? WHERE run_id = ? AND ${UNSETTLED}`, text, run_id),
      run_id,
    );
  }

  async get(run_id: string): Promise<RunRecord | null> {
    this.#requireOpen();
    const row = await this.#database.read(() => findRun(run_id), [TOPIC_RUNS]);
    return row ? publicRun(row) : null;
  }

  async list(query: RunQuery = {}): Promise<RunRecord[]> {
    this.#requireOpen();
    return (
      await this.#database.read(() => listRuns(query, this.#options.project ?? null), [TOPIC_RUNS])
    ).map(publicRun);
  }

  async backlog(): Promise<Backlog[]> {
    this.#requireOpen();
    return this.#database.read(backlogOf, [TOPIC_RUNS]);
  }

  async *watch(run_id: string, signal?: AbortSignal): AsyncGenerator<RunRecord> {
    let last = '';
    for await (const _ of this.#news(runTopic(run_id), signal)) {
      const run = publicRun(await this.#database.read(() => mustFindRun(run_id), [TOPIC_RUNS]));
      const text = JSON.stringify(run);
      if (text !== last) yield run;
      last = text;
      if (run.ended !== null) return;
    }
  }

  /** Gives back what this queue still holds, so that others need not wait for the leases to run out. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    const held = [...this.#held.values()];
    this.#held.clear();
    await Promise.all(held.map((claim) => this.#act(claim, (row) => giveBack(row))));
    this.#isClosed = true;
    for (const bell of this.#bells) bell.ring();
    await this.#release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  *#claimNext(next: () => ReturnType<typeof nextRun>, changed: Set<string>): Work<RunRow | null> {
    const now = isoTime(this.#clock);
    for (let row = yield* next(); row; row = yield* next()) {
      changed.add(row.run_id);
      if (row.attempts >= (this.#options.maxAttempts ?? MAX_ATTEMPTS)) {
        yield* endRun(row, 'abandoned', now, null);
        continue;
      }
      const token = yield* nextToken(this.#clock.now());
      yield* noteServed(row, token);
      const self = ownIdentity(this.#database, this.#liveness);
      const set = `status = 'running', token = ?, owner = ?, process = ?, lease_until = ?, started = coalesce(started, ?),
        attempts = attempts + 1`;
      const owner = `${self.host}:${self.pid}`;
      return yield* changeRun(row, set, token, owner, JSON.stringify(self), this.#leaseEnd(), now);
    }
    return null;
  }

  /** Does something to a run that is still held by the claim; else it stays as it is. */
  #act({ run: { run_id }, token }: Claim, work: (row: RunRow) => Work<RunRow>) {
    return this.#write(function* () {
      const row = yield* mustFindRun(run_id);
      const isHeld = row.status === 'running' && row.token === token;
      return { row: isHeld ? yield* work(row) : row, isHeld };
    }, run_id);
  }

  async #whileHeld(claim: Claim, work: (row: RunRow) => Work<RunRow>): Promise<RunRecord> {
    const { row, isHeld } = await this.#act(claim, work);
    if (isHeld) return publicRun(row);
    this.#held.delete(row.run_id);
    if (row.token !== claim.token || row.ended === null) throw fenced(`Run ${row.run_id}`);
    const message = `Run ${row.run_id} has ended already (${row.status}).`;
    throw new SessionError(message, { code: 'RUN_ENDED', origin: row.run_id });
  }

  async #hasOpenRuns(): Promise<boolean> {
    if (this.#isClosed) return false;
    return (
      (await this.#database.read(() => get('SELECT 1 FROM runs WHERE is_head = 1 LIMIT 1'))) !== undefined
    );
  }

  #leaseEnd(): string {
    return new Date(this.#clock.now() + (this.#options.leaseMs ?? LEASE_MS)).toISOString();
  }

  /** Ends when the queue is closed. */
  async *#news(topic: string, signal?: AbortSignal, bell = new Bell()): AsyncGenerator<void> {
    this.#requireOpen();
    this.#bells.add(bell);
    try {
      for await (const _ of newsOf(this.#database, topic, signal, bell)) {
        if (this.#isClosed) return;
        yield;
      }
    } finally {
      this.#bells.delete(bell);
    }
  }

  /** `topics`: the runs it is about, where that is known; whoever waits for work hears of all. */
  async #write<T>(work: () => Work<T>, ...run_ids: string[]): Promise<T> {
    this.#requireOpen();
    return this.#database.write(work, { topics: [TOPIC_RUNS, ...run_ids.map(runTopic)] });
  }

  #requireOpen(): void {
    if (this.#isClosed)
      throw new SessionError('The run queue is closed; open it again.', { code: 'LOG_CLOSED' });
  }
}

function busyLine(line: string): SessionError {
  return new SessionError(`Another run of ${line} has not ended.`, { code: 'SESSION_LOCKED', origin: line });
}
