import { CancellationToken, type Host, type JsonObject, type Question, redactText } from '@amplifier/host';
import type { DelegationResult } from '../delegate/envelope.js';
import { NOTHING_OBSERVED, type Observed } from '../delegate/judge-reexecution.js';
import type { Approvals } from '../hosts.js';
import type { JobState } from '../jobs/job-state.js';
import { describeEvent } from './describe-event.js';

/** A question of a running session, and the host it can be answered through. */
export interface OpenQuestion {
  question: Question;
  host: Host;
}

/** What somebody who watches a run is told. */
export type RunChange = { kind: 'activity'; text: string } | { kind: 'question' } | { kind: 'end' };

/** A delegation that runs in this process, from the moment it was accepted. */
export class Run {
  /** The present state; what the job's folder holds, where there is one. */
  state: JobState;
  /** The folder of the job; null if it is not kept. */
  readonly run_dir: string | null;
  /** What the person at the other end is asked about. */
  readonly approvals: Approvals;
  readonly started: number;
  readonly token = new CancellationToken();
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
  /** Resolves when the session tells of this run, so that it is found again without this process; or at its end. */
  readonly begun: Promise<void>;
  /** Resolves when there is a result. */
  readonly ended: Promise<DelegationResult>;
  #begin: () => void = () => {};
  #end: (result: DelegationResult) => void = () => {};
  #host: Host | null = null;
  #watchers = new Set<(change: RunChange) => void>();

  constructor(state: JobState, options: { run_dir: string | null; approvals: Approvals; started: number }) {
    this.state = state;
    this.run_dir = options.run_dir;
    this.approvals = options.approvals;
    this.started = options.started;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  get run_id(): string {
    return this.state.run_id;
  }

  /** Called at every change until the returned function is called. */
  watch(watcher: (change: RunChange) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
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
    this.token.request('immediate');
  }

  /** A question was answered, or its time is over. Questions about different calls may have the same prompt. */
  #close({ prompt, session_id, question_id = null }: Readonly<JsonObject>): void {
    for (const [id, { question }] of this.questions) {
      const { subject } = question;
      const isAsked = question.prompt === prompt && question.session_id === session_id;
      if (isAsked && (subject?.question_id ?? null) === question_id) this.questions.delete(id);
    }
  }

  #tell(change: RunChange): void {
    for (const watcher of [...this.#watchers]) watcher(change);
  }
}

const ENDINGS = new Set(['delegate:agent_completed', 'delegate:agent_cancelled', 'delegate:error']);
