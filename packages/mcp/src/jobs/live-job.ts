import { type ClaimedRun, type Host, type JsonObject, type Question, redactText } from '@amplifier/host';
import type { DelegationResult } from '../delegate/envelope.js';
import { NOTHING_OBSERVED, type Observed } from '../delegate/judge-reexecution.js';
import { describeEvent } from './describe-event.js';
import { type JobOrder, type JobState, stateOf } from './job-order.js';

/** A question of a running session, and the host it can be answered through. */
export interface OpenQuestion {
  question: Question;
  host: Host;
}

/** A change that watchers of a job get. */
export type JobChange = { kind: 'activity'; text: string } | { kind: 'question' } | { kind: 'end' };

/** A job that this process executes: what its client can watch, answer and stop. */
export class LiveJob {
  readonly order: JobOrder;
  state: JobState;
  readonly started: number;
  readonly observed: Observed = { ...NOTHING_OBSERVED };
  readonly questions = new Map<string, OpenQuestion>();
  /** What happened last, in a few words. */
  doing = 'begins';
  stopped_by: string | null = null;
  /** Sub-agents at work at this moment. */
  agents = 0;
  result: DelegationResult | null = null;
  /** Progress told so far; it rises over all rounds of one call. */
  ticks = 0;
  /** Ends what a round left behind for the time a person is asked. */
  endRound: () => void = () => {};
  /** Resolves when its session exists, or at its end. */
  readonly begun: Promise<void>;
  /** Resolves when there is a result. */
  readonly ended: Promise<DelegationResult>;
  #begin: () => void = () => {};
  #end: (result: DelegationResult) => void = () => {};
  #claimed: ClaimedRun | null = null;
  #host: Host | null = null;
  #watchers = new Set<(change: JobChange) => void>();

  constructor(order: JobOrder, session: JobState['session'], started: number) {
    this.order = order;
    this.state = stateOf(order, 'pending', session);
    this.started = started;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  get run_id(): string {
    return this.order.run_id;
  }

  get isStopped(): boolean {
    return this.stopped_by !== null || this.#claimed?.claim.cancellation.isCancelled === true;
  }

  /** Called at every change until the returned function is called. */
  watch(watcher: (change: JobChange) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** It is executed under this claim from now on. */
  claim(claimed: ClaimedRun): void {
    this.#claimed = claimed;
    if (this.stopped_by !== null) claimed.claim.cancellation.request('immediate');
  }

  /** The session runs under this host from now on. */
  enter(host: Host): void {
    this.#host = host;
  }

  begin(): void {
    this.#begin();
  }

  onEvent(name: string, data: Readonly<JsonObject>): void {
    if (name === 'provider:request') this.observed.requests += 1;
    if (name === 'llm:response') this.observed.model_calls += 1;
    if (name === 'tool:pre') this.observed.tool_calls += 1;
    if (name === 'delegate:agent_spawned' || name === 'delegate:agent_resumed') this.agents += 1;
    if (name === 'approval:granted' || name === 'approval:denied') this.#close(data);
    if (ENDINGS.has(name)) this.agents = Math.max(0, this.agents - 1);
    const text = describeEvent(name, data);
    if (text === null) return;
    this.doing = redactText(text);
    this.#tell({ kind: 'activity', text: this.doing });
  }

  ask(asked: OpenQuestion): void {
    this.questions.set(asked.question.id, asked);
    this.#tell({ kind: 'question' });
  }

  end(result: DelegationResult): void {
    this.result = result;
    this.questions.clear();
    this.endRound();
    this.#tell({ kind: 'end' });
    this.#begin();
    this.#end(result);
  }

  /** Stops it at once, also when its session does not run yet. `by` goes into the record. */
  stop(by: string): void {
    this.stopped_by ??= by;
    const session_id = this.state.session?.session_id;
    if (session_id) this.#host?.delegator.live.stop(session_id, { kind: 'cancel', by }, 'immediate');
    this.#claimed?.claim.cancellation.request('immediate');
  }

  /** A question was answered, or its time is over. Questions about different calls may have the same prompt. */
  #close({ prompt, session_id, question_id = null }: Readonly<JsonObject>): void {
    for (const [id, { question }] of this.questions) {
      const { subject } = question;
      const isAsked = question.prompt === prompt && question.session_id === session_id;
      if (isAsked && (subject?.question_id ?? null) === question_id) this.questions.delete(id);
    }
  }

  #tell(change: JobChange): void {
    for (const watcher of [...this.#watchers]) watcher(change);
  }
}

const ENDINGS = new Set(['delegate:agent_completed', 'delegate:agent_cancelled', 'delegate:error']);
