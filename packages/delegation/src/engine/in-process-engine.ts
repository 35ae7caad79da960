import {
  addUsage,
  type Clock,
  type Coordinator,
  type DisplaySystem,
  EVENTS,
  errorInfo,
  type ModuleLoader,
  NO_USAGE,
  type Provider,
  type Report,
  Session,
  type Usage,
} from '@amplifier/core';
import { type ModelCatalog, modelCatalog } from '@amplifier/foundation';
import type { Letter, SessionStore } from '@amplifier/sessions';
import { GRACE_MS } from '../defaults.js';
import { announce, type DelegateEvent, keepOnce } from '../delegate-events.js';
import type { LaunchRecord } from '../launch-record.js';
import type { Outcome } from '../outcome.js';
import type { Parent } from '../parent.js';
import { beginsWithWrite } from '../tools/delegating-tool.js';
import { type Ending, outcomeOf } from './ending.js';
import type { Engine, Turn } from './engine.js';
import { Candidates, type Fallback, isOutOfService } from './fall-back.js';
import { loadHistory } from './load-history.js';
import { loggedContext } from './logged-context.js';
import { Meter } from './metered-provider.js';
import { type Question, Questions } from './questions.js';
import { seatOf } from './seat.js';
import { SessionMail } from './session-mail.js';
import { SpokenText } from './spoken-text.js';
import type { StopSwitch } from './stop-switch.js';
import { readStructuredAnswer, repairPrompt } from './structured-answer.js';
import { TurnJournal } from './turn-journal.js';
import { Watchdog } from './watchdog.js';

export interface InProcessEngineOptions {
  store: SessionStore;
  loader: ModuleLoader;
  clock: Clock;
  display?: DisplaySystem;
  report?: Report;
  /** The system prompt of a session. Default: the agent's instruction as it is. */
  systemPrompt?: (launch: LaunchRecord) => Promise<string | null>;
  /** Told of each question; null when nobody is there to answer, and every question is a no. */
  onQuestion: ((question: Question) => void) | null;
  /** Approvals wait until they are answered. */
  withoutTimeout?: boolean;
  /** Puts what the app and the Delegator offer on the session, before its modules mount. */
  equip: (coordinator: Coordinator, seat: Parent, questions: Questions) => void;
}

/** Runs agents in this process, on a model. */
export class InProcessEngine implements Engine {
  #options: InProcessEngineOptions;

  constructor(options: InProcessEngineOptions) {
    this.#options = options;
  }

  /** Goes down the candidates of the record as long as their providers are out of service and nothing has happened yet. */
  async run(launch: LaunchRecord, turn: Turn, stop: StopSwitch): Promise<Outcome> {
    const candidates = new Candidates(launch.model);
    const deadline = deadlineOf(launch, this.#options.clock);
    let attempt = turn;
    for (;;) {
      const { message_count } = turn.log.metadata;
      const run = new Run(this.#options, launch, attempt, stop, deadline);
      const outcome = await run.run();
      const isUntouched = () => turn.log.metadata.message_count === message_count;
      const next =
        run.thrown !== null && !stop.reason && isOutOfService(run.thrown) && isUntouched()
          ? candidates.next(attempt.plan, run.thrown)
          : null;
      const fallbacks = [...candidates.taken, ...run.failovers];
      if (!next) return fallbacks.length > 0 ? { ...outcome, fallbacks } : outcome;
      await turn.log.appendEvents([{ name: EVENTS.PROVIDER_FALLBACK, data: { ...next.fallback } }]);
      const { session_id } = launch;
      turn.onEvent?.(EVENTS.PROVIDER_FALLBACK, { ...next.fallback, session_id, lineage: lineageOf(launch) });
      attempt = { ...turn, plan: next.plan, isValidPlan: false, carried: outcome.usage };
    }
  }
}

/** When the turn must be over, whatever it is tried on. */
function deadlineOf({ limits: { timeout } }: LaunchRecord, clock: Clock): number | null {
  return timeout === null ? null : clock.now() + timeout * 1000;
}

/** One attempt at a turn, from opening to outcome. */
class Run {
  #options: InProcessEngineOptions;
  #launch: LaunchRecord;
  #turn: Turn;
  #stop: StopSwitch;
  #deadline: number | null;
  #session: Session;
  #meter: Meter;
  /** The providers as their modules mounted them. */
  #unmetered = new Map<string, Provider>();
  /** Everybody in the session who wants to know the models asks here, so that each provider is asked once. */
  #models: ModelCatalog;
  #mail: SessionMail;
  #questions: Questions;
  #journal: TurnJournal;
  #spoken = new SpokenText();
  #below: Usage = NO_USAGE;
  #warnings: string[] = [];
  #cleanups: (() => void)[] = [];
  #watchdog: Watchdog | null = null;
  #executing: Promise<unknown> = Promise.resolve();
  #ending: Partial<Ending> = { thrown: null, loop_status: null };
  /** Providers that the loop passed over for the next, in the middle of the turn. */
  readonly failovers: Fallback[] = [];

  constructor(
    options: InProcessEngineOptions,
    launch: LaunchRecord,
    turn: Turn,
    stop: StopSwitch,
    deadline: number | null,
  ) {
    const { clock, loader, display, report, onQuestion } = options;
    this.#options = options;
    this.#launch = launch;
    this.#turn = turn;
    this.#stop = stop;
    this.#deadline = deadline;
    this.#warnings.push(...turn.warnings);
    this.#mail = new SessionMail(turn.log);
    this.#journal = new TurnJournal(turn.log, clock);
    this.#questions = new Questions({
      log: turn.log,
      clock,
      agent: launch.agent.name,
      onQuestion: onQuestion ?? (() => {}),
      left: turn.questions,
      withoutTimeout: options.withoutTimeout ?? false,
    });
    this.#meter = new Meter({
      budget: turn.budget,
      max_turns: launch.limits.max_turns,
      onCall: (call) => {
        this.#journal.note({ name: 'llm:response', data: { ...call } });
      },
      onProgress: () => this.#watchdog?.touch(),
      settle: () => this.#journal.settle(),
    });
    this.#session = new Session({
      plan: turn.plan,
      isValidPlan: turn.isValidPlan,
      loader,
      id: launch.session_id,
      parent_id: launch.parent_id,
      is_resumed: turn.number > 1,
      clock,
      ...(onQuestion ? { approval: this.#questions } : {}),
      ...(display ? { display } : {}),
      report: (diagnostic) => {
        if (diagnostic.module_id) this.#warnings.push(diagnostic.message);
        report?.(diagnostic);
      },
    });
    const mounted = () => this.#session.coordinator.mounts.all('providers');
    this.#models = modelCatalog(
      {
        has: (name) => mounted().has(name),
        get: (name) => this.#unmetered.get(name) ?? mounted().get(name),
      },
      turn.models ?? undefined,
    );
  }

  /** What the attempt failed with; null when it did not throw. */
  get thrown(): unknown {
    return this.#ending.thrown ?? null;
  }

  async run(): Promise<Outcome> {
    try {
      await this.#open();
      await this.#talk();
    } catch (error) {
      this.#ending.thrown = error;
    }
    return this.#close();
  }

  /** Brings the session to life from its record, with its history, its prompt and its limits in place. */
  async #open(): Promise<void> {
    const { coordinator } = this.#session;
    const { store, equip } = this.#options;
    this.#cleanups.push(this.#stop.token.registerChild(coordinator.cancellation));
    const history = await loadHistory(store, this.#turn.log.metadata);
    const seat = seatOf(this.#session, this.#launch, this.#turn, {
      addUsage: (usage) => {
        this.#below = addUsage(this.#below, usage);
      },
      askAndEnd: (question) => this.#stop.stop({ kind: 'question', question }, 'graceful'),
      storedHistory: history.whole ? null : store,
      journal: this.#journal,
      models: this.#models,
    });
    coordinator.hooks.setDefaults({ root_id: this.#launch.root_id });
    coordinator.registerCapability('session.working_dir', this.#launch.workspace.cwd);
    coordinator.registerCapability('session.grant', this.#launch.grant);
    coordinator.registerCapability('session.steer', () => this.#mail.take());
    coordinator.registerCapability('session.routing', { catalog: this.#models });
    equip(coordinator, seat, this.#questions);
    this.#watch();
    await this.#session.initialize();
    await this.#furnish(history.messages);
    await this.#mail.open(this.#turn.number, {
      onCancel: ({ from, body }) =>
        this.#stop.stop(
          { kind: 'cancel', by: from ?? 'user' },
          body.level === 'graceful' ? 'graceful' : 'immediate',
        ),
      onAnswer: (letter) => this.#questions.onAnswer(letter),
      onMessage: async (letter) => {
        this.#watchdog?.touch();
        if (letter.kind === 'completion') await this.#journal.await(this.#announceEnd(letter, seat));
      },
    });
  }

  /** Says the prompt and, where the answer must have a form, asks once more for an answer that does not have it. */
  async #talk(): Promise<void> {
    const { output_schema: schema } = this.#launch;
    await this.#execute(this.#turn.prompt);
    if (!schema || this.#stop.reason) return;
    let reading = await readStructuredAnswer(this.#spoken.text, schema);
    if ('fault' in reading) {
      await this.#execute(repairPrompt(reading.fault, schema));
      if (this.#stop.reason) return;
      reading = await readStructuredAnswer(this.#spoken.text, schema);
    }
    if ('fault' in reading) {
      this.#ending.mismatch = reading.fault;
      return;
    }
    this.#ending.data = reading.data;
  }

  /** Takes everything down and says how it ended. */
  async #close(): Promise<Outcome> {
    this.#watchdog?.stop();
    const { calls, usage, model, finish_reason } = this.#meter.reading;
    for (const step of [
      () => this.#mail.close(),
      () => this.#questions.close(),
      // Children that ended meanwhile are announced while somebody still listens.
      () => this.#journal.flush(),
      () => this.#closeSession(),
      () => {
        for (const cleanup of this.#cleanups.reverse()) cleanup();
        return this.#journal.flush();
      },
    ]) {
      try {
        await step();
      } catch (error) {
        this.#ending.thrown ??= error;
      }
    }
    return outcomeOf({
      launch: this.#launch,
      text: this.#spoken.text,
      thrown: this.#ending.thrown ?? null,
      stopped: this.#stop.reason,
      loop_status: this.#ending.loop_status ?? null,
      finish_reason: finish_reason ?? null,
      turn_count: Math.max(1, calls),
      usage: addUsage(addUsage(this.#turn.carried, usage), this.#below),
      model_used: model,
      warnings: this.#warnings,
      ...(this.#ending.data === undefined ? {} : { data: this.#ending.data }),
      ...(this.#ending.mismatch === undefined ? {} : { mismatch: this.#ending.mismatch }),
    });
  }

  #watch(): void {
    const { hooks } = this.#session.coordinator;
    const { clock } = this.#options;
    const { timeout, stall } = this.#launch.limits;
    const { onEvent, isWatched } = this.#turn;
    let lineage: ReturnType<typeof lineageOf> | undefined;
    this.#cleanups.push(
      hooks.observe((name, data) => {
        this.#watchdog?.touch();
        this.#journal.watch(name, data);
        if (data.session_id === this.#launch.session_id) this.#listen(name, data);
        if (!onEvent || !isWatched()) return;
        lineage ??= lineageOf(this.#launch);
        onEvent(name, data.lineage ? data : { ...data, lineage });
      }),
    );
    if (this.#deadline !== null) {
      this.#cleanups.push(
        clock.after(Math.max(0, this.#deadline - clock.now()), () => {
          const message = `The agent was not done after ${timeout} s. Raise 'timeout', or resume the session to let it go on.`;
          this.#stop.stop({ kind: 'limit', limit: 'time', message }, 'immediate');
        }),
      );
    }
    if (stall !== null) {
      this.#watchdog = new Watchdog(clock, stall, () => {
        const message = `Nothing moved for ${stall} s while no tool ran. Resume the session to try again.`;
        this.#stop.stop({ kind: 'stall', message }, 'immediate');
      });
    }
  }

  /** The terminal event of a background child is announced where its parent runs, when the news arrives there. */
  async #announceEnd({ body }: Letter, seat: Parent): Promise<void> {
    const event = body.event as DelegateEvent | undefined;
    const [news] = await keepOnce(event ? [event] : [], this.#turn.log, this.#options.store);
    if (news) await announce(news, { hooks: seat.hooks, log: null });
  }

  #listen(name: string, data: Readonly<Record<string, unknown>>): void {
    this.#spoken.listen(name, data);
    if (name === EVENTS.PROVIDER_FALLBACK) this.failovers.push(data as unknown as Fallback);
    if (name === 'tool:pre') this.#watchdog?.toolStarted(String(data.tool_call_id));
    if (name === 'tool:post' || name === 'tool:error') this.#watchdog?.toolEnded(String(data.tool_call_id));
    if (name === 'orchestrator:complete') this.#ending.loop_status = String(data.status);
  }

  /** History, system prompt, meters: what the mounted modules do not bring themselves. */
  async #furnish(history: Awaited<ReturnType<typeof loadHistory>>['messages']): Promise<void> {
    const { mounts } = this.#session.coordinator;
    const context = mounts.one('context');
    if (!context) return;
    if (history.length > 0) await context.setMessages(history);
    const prompt = this.#options.systemPrompt
      ? await this.#options.systemPrompt(this.#launch)
      : this.#launch.agent.instruction;
    if (prompt !== null && prompt !== '') {
      if (context.setSystemPromptFactory) context.setSystemPromptFactory(async () => prompt);
      else await context.setMessages([{ role: 'system', content: prompt }, ...history]);
    }
    mounts.mount(
      'context',
      loggedContext(context, this.#turn, this.#journal, this.#mail, (tool) =>
        beginsWithWrite(this.#session.coordinator, tool),
      ),
    );
    const providers = mounts.all('providers');
    for (const [name, provider] of [...providers]) {
      this.#unmetered.set(name, provider);
      providers.set(
        name,
        this.#meter.wrap(provider, async () => [...(await this.#models.models(name))]),
      );
    }
  }

  /** Waits for the loop, but not for ever once it was told to stop at once. */
  async #execute(prompt: string): Promise<void> {
    const executing = this.#session.execute(prompt);
    this.#executing = executing;
    const abandoned = this.#abandonment();
    try {
      const answer = await Promise.race([executing, abandoned.promise]);
      if (answer !== null) this.#spoken.final(answer);
    } catch (error) {
      executing.catch(() => {});
      if (!this.#stop.reason) throw error;
    } finally {
      abandoned.cancel();
    }
  }

  #abandonment(): { promise: Promise<null>; cancel: () => void } {
    let cancelTimer = () => {};
    let unlisten = () => {};
    const promise = new Promise<null>((resolve) => {
      const arm = () => {
        cancelTimer = this.#options.clock.after(GRACE_MS, () => resolve(null));
      };
      if (this.#stop.token.isImmediate) arm();
      else unlisten = this.#stop.token.onRequest((level) => level === 'immediate' && arm());
    });
    return {
      promise,
      cancel: () => {
        cancelTimer();
        unlisten();
      },
    };
  }

  async #closeSession(): Promise<void> {
    if (this.#session.status.state !== 'running') return this.#session.cleanup();
    // A loop that ignored the request to stop is left to end on its own, cut off from the log; then its modules go, too.
    const { report } = this.#options;
    void this.#executing
      .catch(() => {})
      .then(() => this.#session.cleanup())
      .catch((error: unknown) =>
        report?.({ level: 'error', code: 'CLEANUP_FAILED', message: errorInfo(error).message, error }),
      );
  }
}

function lineageOf(launch: LaunchRecord) {
  const { session_id, parent_id, root_id, depth, tool_call_id, parallel_group_id } = launch;
  return { session_id, parent_id, root_id, depth, agent: launch.agent.name, tool_call_id, parallel_group_id };
}
