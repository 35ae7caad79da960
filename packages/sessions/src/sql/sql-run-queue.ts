import {
  Bell,
  type Clock,
  type JsonObject,
  type Liveness,
  type ProcessIdentity,
  systemClock,
  systemLiveness,
  ulidSource,
} from '@amplifier/core';
import { all, type Database, type Durability, get, type Work } from '../database/database.js';
import { isDead, ownIdentity, recordClock } from '../database/presence.js';
import { LEASE_MS, LIVENESS_CHECK_MS, MAX_ATTEMPTS, RUN_RETENTION_MS } from '../defaults.js';
import { jsonText } from '../json-text.js';
import { fenced, refusal } from '../refusals.js';
import type { Backlog, Claim, ClaimOptions, NewRun, RunQuery, RunQueue, RunRecord } from '../run-queue.js';
import { SessionError } from '../session-error.js';
import { checkSessionId } from '../session-ids.js';
import { News } from './follow.js';
import {
  addRun,
  BACKLOG,
  changeRun,
  claimRun,
  endRun,
  findRun,
  giveBack,
  listRuns,
  mustFindRun,
  nextRun,
  publicRun,
  type RunLimits,
  type RunRow,
  settleRun,
} from './run-rows.js';
import { runTopic, TOPIC_RUNS } from './topic-names.js';

export interface SqlRunQueueOptions {
  /** Whose runs are enqueued, claimed and listed, by the slug of the project. Default: those of all. */
  project?: string | null;
  /** Where this process is: it claims runs that have to be executed there, and those that may be anywhere. Default: its host, where several share the database, else all. */
  places?: readonly string[] | null;
  /** How many runs of a tenant, and of each of its tokens, may run at once, wherever. Default: any number. */
  limits?: RunLimits;
  clock?: Clock;
  liveness?: Liveness;
  /** How long a claim lasts without a sign of life. */
  leaseMs?: number;
  maxAttempts?: number;
}

const ANY_HEAD = 'SELECT 1 FROM runs WHERE is_head = 1 LIMIT 1';

/** Turns that wait in a database. `release` is called when the queue is closed. */
export class SqlRunQueue implements RunQueue {
  readonly maxAttempts: number;
  readonly #database: Database;
  readonly #options: SqlRunQueueOptions;
  readonly #clock: Clock;
  readonly #liveness: Liveness;
  readonly #ulid: () => string;
  readonly #held = new Map<string, Claim>();
  readonly #news: News;
  readonly #release: () => Promise<void>;

  constructor(database: Database, options: SqlRunQueueOptions = {}, release = async () => {}) {
    this.#database = database;
    this.#options = options;
    this.maxAttempts = options.maxAttempts ?? MAX_ATTEMPTS;
    this.#release = release;
    this.#news = new News(database);
    this.#clock = recordClock(database, options.clock ?? systemClock);
    this.#liveness = options.liveness ?? systemLiveness;
    this.#ulid = ulidSource(this.#clock);
  }

  /** Through another view of the database, for as long as this queue is open. */
  on(view: (database: Database) => Database): RunQueue {
    return new SqlRunQueue(view(this.#database), this.#options);
  }

  async enqueue(request: NewRun, durability?: Durability): Promise<RunRecord> {
    const run_id = request.run_id ?? `run_${this.#ulid()}`;
    const { session_id, line = session_id, payload = {} } = request;
    checkSessionId(session_id);
    checkSessionId(line);
    const fixed = {
      text: jsonText(payload, session_id),
      enqueued: this.#time(),
      cutoff: this.#time(-RUN_RETENTION_MS),
      project: this.#options.project ?? null,
      tenant: this.#database.tenant ?? '',
    };
    const add = () => addRun({ ...request, run_id, line }, fixed);
    return publicRun(await this.#write(add, [run_id], durability));
  }

  async claim({ kinds }: ClaimOptions = {}): Promise<Claim | null> {
    const { project = null, limits } = this.#options;
    const places = this.#options.places ?? (this.#database.presence ? [this.#liveness.self.host] : null);
    const isGone = (process: ProcessIdentity) => isDead(this.#database, this.#liveness, process);
    const next = () => nextRun({ kinds, project, places, limits, now: this.#time(), isDead: isGone });
    // Most who ask find nothing to do, and need not keep others from writing for that.
    if (!(await this.#read(next))) return null;
    const changed = new Set<string>();
    const row = await this.#write(() => this.#claimNext(next, changed), [], 'process');
    this.#database.tell([...changed].map(runTopic));
    if (!row) return null;
    const claim = { run: publicRun(row), token: row.token };
    this.#held.set(row.run_id, claim);
    return claim;
  }

  async *claims(options: ClaimOptions & { signal?: AbortSignal } = {}): AsyncGenerator<Claim> {
    this.#requireOpen();
    const { signal } = options;
    const next = async () => (this.#news.isClosed ? null : this.claim(options));
    const bell = new Bell();
    let cancel: (() => void) | undefined;
    try {
      for await (const _ of this.#news.of(TOPIC_RUNS, signal, bell)) {
        cancel?.();
        for (let claim = await next(); claim; claim = await next()) {
          yield claim;
          if (signal?.aborted) return;
        }
        // Death and time make no sound, so they are looked for while something might still become free.
        if (!this.#news.isClosed && (await this.#read(() => get(ANY_HEAD))))
          cancel = this.#clock.after(LIVENESS_CHECK_MS, () => bell.ring());
      }
    } finally {
      cancel?.();
    }
  }

  async keepAlive(claim: Claim): Promise<RunRecord> {
    const until = this.#leaseEnd();
    return this.#whileHeld(claim, (row) => changeRun(row, 'lease_until = ?', until), 'process');
  }

  async finish(claim: Claim, result?: JsonObject, durability?: Durability): Promise<RunRecord> {
    const at = this.#time();
    const text = result === undefined ? null : jsonText(result, claim.run.run_id);
    const { row, isHeld } = await this.#act(claim, (row) => endRun(row, 'finished', at, text), durability);
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
    const at = this.#time();
    const row = await this.#write(
      function* () {
        const row = yield* mustFindRun(run_id);
        if (row.ended !== null) return row;
        const asked = yield* changeRun(row, 'cancel_requested = coalesce(cancel_requested, ?)', reason);
        return row.status === 'queued' ? yield* endRun(row, 'cancelled', at) : asked;
      },
      [run_id],
    );
    return publicRun(row);
  }

  async settle(run_id: string, result: JsonObject): Promise<void> {
    const text = jsonText(result, run_id);
    await this.#write(() => settleRun(run_id, text), [run_id]);
  }

  async get(run_id: string): Promise<RunRecord | null> {
    const row = await this.#read(() => findRun(run_id));
    return row ? publicRun(row) : null;
  }

  async list(query: RunQuery = {}): Promise<RunRecord[]> {
    return (await this.#read(() => listRuns(query, this.#options.project ?? null))).map(publicRun);
  }

  async backlog(): Promise<Backlog[]> {
    return (await this.#read(() => all<Backlog>(BACKLOG))).map((row) => ({ ...row }));
  }

  async *watch(run_id: string, signal?: AbortSignal): AsyncGenerator<RunRecord> {
    this.#requireOpen();
    let last = '';
    for await (const _ of this.#news.of(runTopic(run_id), signal)) {
      const run = publicRun(await this.#read(() => mustFindRun(run_id)));
      const text = JSON.stringify(run);
      if (text !== last) yield run;
      last = text;
      if (run.ended !== null) return;
    }
  }

  /** Gives back what this queue still holds, so that others need not wait for the leases to run out. */
  async close(): Promise<void> {
    if (this.#news.isClosed) return;
    const held = [...this.#held.values()];
    this.#held.clear();
    await Promise.all(held.map((claim) => this.#act(claim, (row) => giveBack(row))));
    this.#news.close();
    await this.#release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  *#claimNext(next: () => ReturnType<typeof nextRun>, changed: Set<string>): Work<RunRow | null> {
    for (let row = yield* next(); row; row = yield* next()) {
      changed.add(row.run_id);
      if (row.attempts < this.maxAttempts) {
        const self = ownIdentity(this.#database, this.#liveness);
        return yield* claimRun(row, self, this.#clock.now(), this.#leaseEnd());
      }
      yield* endRun(row, 'abandoned', this.#time());
    }
    return null;
  }

  /** Does something to a run that is still held by the claim; else it stays as it is. */
  #act({ run: { run_id }, token }: Claim, work: (row: RunRow) => Work<RunRow>, durability?: Durability) {
    const change = function* () {
      const row = yield* mustFindRun(run_id);
      const isHeld = row.status === 'running' && row.token === token;
      return { row: isHeld ? yield* work(row) : row, isHeld };
    };
    return this.#write(change, [run_id], durability);
  }

  async #whileHeld(
    claim: Claim,
    work: (row: RunRow) => Work<RunRow>,
    durability?: Durability,
  ): Promise<RunRecord> {
    const { row, isHeld } = await this.#act(claim, work, durability);
    if (isHeld) return publicRun(row);
    this.#held.delete(row.run_id);
    if (row.token !== claim.token || row.ended === null) throw fenced(`Run ${row.run_id}`);
    throw refusal('RUN_ENDED', row.run_id, `Run ${row.run_id} has ended already (${row.status}).`);
  }

  #time(later = 0): string {
    return new Date(this.#clock.now() + later).toISOString();
  }

  #leaseEnd(): string {
    return this.#time(this.#options.leaseMs ?? LEASE_MS);
  }

  async #read<T>(work: () => Work<T>): Promise<T> {
    this.#requireOpen();
    return this.#database.read(work, [TOPIC_RUNS]);
  }

  /** `run_ids`: the runs it is about, where they are known. Subscribers that wait for work are notified of all. */
  async #write<T>(
    work: () => Work<T>,
    run_ids: readonly string[],
    durability: Durability = 'disk',
  ): Promise<T> {
    this.#requireOpen();
    return this.#database.write(work, { topics: [TOPIC_RUNS, ...run_ids.map(runTopic)], durability });
  }

  #requireOpen(): void {
    const message = 'The run queue is closed; open it again.';
    if (this.#news.isClosed) throw new SessionError(message, { code: 'LOG_CLOSED' });
  }
}
