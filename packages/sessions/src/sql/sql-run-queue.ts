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
import type { Database, Durability, Work } from '../database/database.js';
import { isDead, ownIdentity, recordClock } from '../database/presence.js';
import { CLOCK_CHECK_MS, LEASE_MS, LIVENESS_CHECK_MS, MAX_ATTEMPTS, RUN_RETENTION_MS } from '../defaults.js';
import { jsonText } from '../json-text.js';
import { News } from '../news.js';
import { fenced, refusal } from '../refusals.js';
import type {
  Backlog,
  BacklogOptions,
  Claim,
  ClaimOptions,
  NewRun,
  PutBack,
  RunChange,
  RunEnding,
  RunEvent,
  RunQuery,
  RunQueue,
  RunRecord,
} from '../run-queue.js';
import { SessionError } from '../session-error.js';
import { checkSessionId } from '../session-ids.js';
import { claimableTopic, runTopic, TOPIC_FEED, TOPIC_RUNS } from '../topic-names.js';
import {
  addRun,
  addRunEvent,
  backlogOf,
  changeRun,
  claimRun,
  endRun,
  findRun,
  giveBack,
  listRuns,
  mustFindRun,
  type NextRun,
  nextRun,
  nextTime,
  publicRun,
  type RunLimits,
  type RunRow,
  replaceRun,
} from './run-rows.js';

export interface SqlRunQueueOptions {
  /** Whose runs are enqueued, claimed and listed, by the slug of the project. Default: those of all. */
  project?: string | null;
  /** Where this process is: it claims runs that have to be executed there, and those that may be anywhere. Default: its host, where several share the database, else all. */
  places?: readonly string[] | null;
  /** How many runs may run at once, wherever. Default: any number. */
  limits?: RunLimits;
  clock?: Clock;
  liveness?: Liveness;
  /** How long a claim lasts without a sign of life. */
  leaseMs?: number;
  maxAttempts?: number;
}

/** With an event, followers of the feed are notified as well. `trailing`: it may wait for the next commit. */
interface HowToWrite {
  durability?: Durability | undefined;
  trailing?: boolean;
  event?: RunEvent | undefined;
}

/** A changed run, and the kind of the run that its end lets begin. */
interface Changed {
  row: RunRow;
  next?: string | undefined;
}

function* onlyRow(work: Work<RunRow>): Work<Changed> {
  return { row: yield* work };
}

/** A consumer of `claims`, which may be handed a run that is claimed as it is stored. */
class Consumer {
  readonly options: ClaimOptions;
  readonly #bell: Bell;
  #handed: Promise<Claim | null> = Promise.resolve(null);

  constructor(options: ClaimOptions, bell: Bell) {
    this.options = options;
    this.#bell = bell;
  }

  /** Wakes the consumer when it is known whether there is a claim for it. */
  hand(claim: Promise<Claim | null>): void {
    this.#handed = claim.catch(() => null).finally(() => this.#bell.ring());
  }

  take(): Promise<Claim | null> {
    const handed = this.#handed;
    this.#handed = Promise.resolve(null);
    return handed;
  }
}

/** Turns that wait in a database. `release` is called when the queue is closed. */
export class SqlRunQueue implements RunQueue {
  readonly maxAttempts: number;
  readonly #database: Database;
  readonly #options: SqlRunQueueOptions;
  readonly #clock: Clock;
  readonly #liveness: Liveness;
  readonly #ulid: () => string;
  /** Claims by run, and the view that made them: what one view has claimed, another may end. */
  readonly #held: Map<string, { claim: Claim; by: SqlRunQueue }>;
  readonly #isView: boolean;
  /** Consumers of `claims` that have found nothing to claim. */
  readonly #idle = new Set<Consumer>();
  readonly #news: News;
  readonly #release: () => Promise<void>;

  constructor(
    database: Database,
    options: SqlRunQueueOptions = {},
    release = async () => {},
    whole?: SqlRunQueue,
  ) {
    this.#database = database;
    this.#held = whole ? whole.#held : new Map();
    this.#isView = whole !== undefined;
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
    return new SqlRunQueue(view(this.#database), this.#options, undefined, this);
  }

  /** The runs of one project, for as long as this queue is open. */
  of(project: string): RunQueue {
    return new SqlRunQueue(this.#database, { ...this.#options, project }, undefined, this);
  }

  async enqueue(request: NewRun, { durability, event }: RunChange = {}): Promise<RunRecord> {
    const { run, fixed } = this.#newRun(request);
    const consumer = this.#idleConsumer(run.kind);
    const next = consumer && this.#nextRun(consumer.options);
    const take = this.#takeRun();
    const add = function* () {
      const { row, isNew, next: begun } = yield* (run.again ? replaceRun : addRun)(run, fixed);
      if (isNew && event) yield* addRunEvent(run.session_id, event, fixed.enqueued);
      const first = isNew && next ? yield* next() : undefined;
      return { row, begun, claimed: first?.row.seq === row.seq ? yield* take(first) : null };
    };
    const added = this.#write(add, [run.run_id], { durability, event });
    consumer?.hand(added.then(({ claimed }) => claimed && { ...this.#hold(claimed), isNew: true }));
    const { row, begun, claimed } = await added;
    if (!claimed) this.#tellClaimable(row.kind);
    if (begun !== undefined) this.#tellClaimable(begun);
    return publicRun(row);
  }

  async enqueueClaimed(request: NewRun, { durability, event }: RunChange = {}): Promise<Claim> {
    const { run, fixed } = this.#newRun({ ...request, only_if_idle: true });
    const take = this.#takeRun();
    const add = function* () {
      const { row } = yield* replaceRun(run, fixed);
      if (event) yield* addRunEvent(run.session_id, event, fixed.enqueued);
      return yield* take({ row, turn: null });
    };
    return this.#hold(await this.#write(add, [run.run_id], { durability, event }));
  }

  async claim(options: ClaimOptions = {}): Promise<Claim | null> {
    const next = this.#nextRun(options);
    // Most who ask find nothing to do, and need not keep others from writing for that.
    if (!(await this.#read(next))) return null;
    const take = this.#takeRun();
    const claimFirst = function* () {
      const found = yield* next();
      return found ? yield* take(found) : null;
    };
    const row = await this.#write(claimFirst, [], { durability: 'process' });
    if (!row) return null;
    this.#database.tell([runTopic(row.run_id)]);
    return this.#hold(row);
  }

  async *claims(options: ClaimOptions & { signal?: AbortSignal } = {}): AsyncGenerator<Claim> {
    this.#requireOpen();
    const { signal } = options;
    const next = async () => (this.#news.isClosed ? null : this.claim(options));
    const bell = new Bell();
    const [first, ...more] = (options.kinds ?? ['']).map(claimableTopic);
    const stops = more.map((topic) => this.#database.subscribe(topic, () => bell.ring()));
    let cancel: (() => void) | undefined;
    const consumer = new Consumer(options, bell);
    try {
      for await (const _ of this.#news.of(first ?? claimableTopic(), signal, bell)) {
        this.#idle.delete(consumer);
        cancel?.();
        let asked = this.#time();
        for (let claim = (await consumer.take()) ?? (await next()); claim; claim = await next()) {
          yield claim;
          if (signal?.aborted) return;
          asked = this.#time();
        }
        // Death and time make no sound, so they are looked for while something might still become free.
        this.#idle.add(consumer);
        const at = this.#news.isClosed ? null : await this.#read(() => nextTime(options));
        if (at === null) continue;
        const wait = at > asked ? Date.parse(at) - this.#clock.now() : LIVENESS_CHECK_MS;
        if (wait <= 0) bell.ring();
        else cancel = this.#clock.after(Math.min(wait, CLOCK_CHECK_MS), () => bell.ring());
      }
    } finally {
      cancel?.();
      this.#idle.delete(consumer);
      const left = await consumer.take();
      if (left && !this.#news.isClosed) await this.release(left);
      for (const stop of stops) stop();
    }
  }

  async keepAlive(claim: Claim): Promise<RunRecord> {
    const until = this.#leaseEnd();
    return this.#whileHeld(claim, (row) => onlyRow(changeRun(row, 'lease_until = ?', until)), {
      durability: 'process',
    });
  }

  async begin(claim: Claim, event?: RunEvent): Promise<RunRecord> {
    const at = this.#time();
    const begin = function* (row: RunRow) {
      if (event) yield* addRunEvent(row.session_id, event, at);
      return { row: yield* changeRun(row, 'starts = starts + 1') };
    };
    return this.#whileHeld(claim, begin, { durability: 'process', trailing: true, event });
  }

  async assign(claim: Claim, session_id: string): Promise<RunRecord> {
    checkSessionId(session_id);
    return this.#whileHeld(claim, (row) => onlyRow(changeRun(row, 'session_id = ?', session_id)), {
      durability: 'process',
    });
  }

  async finish(claim: Claim, result?: JsonObject, { durability, event }: RunChange = {}): Promise<RunRecord> {
    const at = this.#time();
    const text = result === undefined ? null : jsonText(result, claim.run.run_id);
    const end = function* (row: RunRow) {
      if (event) yield* addRunEvent(row.session_id, event, at);
      return yield* endRun(row, 'finished', at, text);
    };
    const { row, next, isHeld } = await this.#act(claim, end, { durability, event });
    this.#tellEnded(row, next);
    this.#held.delete(row.run_id);
    // A repeated call: the run was finished by the first.
    if (isHeld || (row.status === 'finished' && row.token === claim.token)) return publicRun(row);
    throw fenced(`Run ${row.run_id}`);
  }

  async release(claim: Claim, changes?: PutBack): Promise<void> {
    if (changes?.line !== undefined) checkSessionId(changes.line);
    const { kind } = await this.#whileHeld(claim, (row) => giveBack(row, changes));
    this.#tellClaimable(kind);
    this.#held.delete(claim.run.run_id);
  }

  async cancel(run_id: string, reason: string, ending?: RunEnding): Promise<RunRecord> {
    const at = this.#time();
    const text = ending ? jsonText(ending.result, run_id) : null;
    const cancel = function* () {
      const row = yield* mustFindRun(run_id);
      if (row.ended !== null) return { row };
      const asked = yield* changeRun(row, 'cancel_requested = coalesce(cancel_requested, ?)', reason);
      if (row.status !== 'queued') return { row: asked };
      if (ending) yield* addRunEvent(row.session_id, ending.event, at);
      return yield* endRun(row, 'cancelled', at, text);
    };
    const { row, next } = await this.#write<Changed>(cancel, [run_id], { event: ending?.event });
    this.#tellEnded(row, next);
    return publicRun(row);
  }

  async get(run_id: string): Promise<RunRecord | null> {
    const row = await this.#read(() => findRun(run_id));
    return row ? publicRun(row) : null;
  }

  async list(query: RunQuery = {}): Promise<RunRecord[]> {
    return (await this.#read(() => listRuns(query, this.#options.project ?? null))).map(publicRun);
  }

  async backlog(options: BacklogOptions = {}): Promise<Backlog[]> {
    return this.#read(() => backlogOf(options));
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

  /** Gives back what this queue and its views still hold, so that others need not wait for the leases to run out. */
  async close(): Promise<void> {
    if (this.#news.isClosed) return;
    const held: Claim[] = [];
    for (const [run_id, { claim, by }] of this.#held) {
      if (this.#isView && by !== this) continue;
      held.push(claim);
      this.#held.delete(run_id);
    }
    await Promise.all(held.map((claim) => this.#act(claim, (row) => giveBack(row))));
    for (const { run } of held) this.#tellClaimable(run.kind);
    this.#news.close();
    await this.#release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** One that waits for runs of the kind, which from now on waits for what it is handed. */
  #idleConsumer(kind: string): Consumer | undefined {
    for (const consumer of this.#idle) {
      if (consumer.options.kinds && !consumer.options.kinds.includes(kind)) continue;
      this.#idle.delete(consumer);
      return consumer;
    }
    return undefined;
  }

  /** Finds the run that this process may execute next. */
  #nextRun({ kinds }: ClaimOptions) {
    const { project = null, limits } = this.#options;
    const places = this.#options.places ?? (this.#database.presence ? [this.#liveness.self.host] : null);
    const isGone = (process: ProcessIdentity) => isDead(this.#database, this.#liveness, process);
    return () => nextRun({ kinds, project, places, limits, now: this.#time(), isDead: isGone });
  }

  /** Gives a run to this process. */
  #takeRun() {
    const self = ownIdentity(this.#database, this.#liveness);
    return (run: NextRun) => claimRun(run, self, this.#clock.now(), this.#leaseEnd());
  }

  #hold(row: RunRow): Claim {
    const claim = { run: publicRun(row), token: row.token };
    this.#held.set(row.run_id, { claim, by: this });
    return claim;
  }

  /** Does something to a run that is still held by the claim; else it stays as it is. */
  #act({ run: { run_id }, token }: Claim, work: (row: RunRow) => Work<Changed>, how?: HowToWrite) {
    const change = function* (): Work<Changed & { isHeld: boolean }> {
      const row = yield* mustFindRun(run_id);
      const isHeld = row.status === 'running' && row.token === token;
      return { ...(isHeld ? yield* work(row) : { row }), isHeld };
    };
    return this.#write(change, [run_id], how);
  }

  async #whileHeld(claim: Claim, work: (row: RunRow) => Work<Changed>, how?: HowToWrite): Promise<RunRecord> {
    const { row, isHeld } = await this.#act(claim, work, how);
    if (isHeld) return publicRun(row);
    this.#held.delete(row.run_id);
    if (row.token !== claim.token || row.ended === null) throw fenced(`Run ${row.run_id}`);
    throw refusal('RUN_ENDED', row.run_id, `Run ${row.run_id} has ended already (${row.status}).`);
  }

  /** Notifies those who wait for runs to claim, in every process. */
  #tellClaimable(kind: string): void {
    this.#database.tell([claimableTopic(), claimableTopic(kind)]);
  }

  /** The end of a run lets the next of its line begin, and one of its tenant where that has a limit. */
  #tellEnded({ kind, ended, tenant }: RunRow, next: string | undefined): void {
    if (next !== undefined) this.#tellClaimable(next);
    const { all: most, each = most } = this.#options.limits?.(tenant, kind) ?? {};
    if (ended !== null && each !== undefined) this.#tellClaimable(kind);
  }

  #newRun(request: NewRun) {
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
    return { run: { ...request, run_id, line }, fixed };
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
    { durability = 'disk', trailing = false, event }: HowToWrite = {},
  ): Promise<T> {
    this.#requireOpen();
    const topics = [TOPIC_RUNS, ...(event ? [TOPIC_FEED] : []), ...run_ids.map(runTopic)];
    return this.#database.write(work, { topics, durability, trailing });
  }

  #requireOpen(): void {
    const message = 'The run queue is closed; open it again.';
    if (this.#news.isClosed) throw new SessionError(message, { code: 'LOG_CLOSED' });
  }
}
