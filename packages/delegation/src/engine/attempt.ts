import {
  addUsage,
  type Coordinator,
  EVENTS,
  type EventObserver,
  errorInfo,
  isPlainObject,
  NO_USAGE,
  Session,
  type Usage,
} from '@amplifier/core';
import { type ModelCatalog, modelCatalog } from '@amplifier/foundation';
import type { MailItem } from '@amplifier/sessions';
import { announce, type DelegateEvent, keepOnce } from '../delegate-events.js';
import type { Outcome } from '../outcome.js';
import type { Parent } from '../parent.js';
import { beginsWithWrite } from '../tools/delegating-tool.js';
import { isWatched, type Turn } from '../turn.js';
import { abandonment } from './abandonment.js';
import type { AttemptOptions, Equipment } from './attempt-options.js';
import { type Ending, outcomeOf } from './ending.js';
import type { Fallback } from './fall-back.js';
import { lineageOf } from './lineage.js';
import { type History, loadHistory } from './load-history.js';
import { LoggedContext } from './logged-context.js';
import { Meter, MeteredProvider } from './metered-provider.js';
import { providerGates } from './provider-gates.js';
import { Questions } from './questions.js';
import { runningParent } from './running-parent.js';
import { sayAlong } from './say-along.js';
import { SessionMail } from './session-mail.js';
import { SpokenText } from './spoken-text.js';
import { readStructuredAnswer, repairPrompt } from './structured-answer.js';
import { TurnJournal } from './turn-journal.js';
import { isUsed } from './used-events.js';
import { Watchdog } from './watchdog.js';

/** One attempt at a turn, from opening to outcome. */
export class Attempt {
  readonly #options: AttemptOptions;
  readonly #equipment: Equipment;
  readonly #turn: Turn;
  readonly #deadline: number | null;
  readonly #session: Session;
  readonly #meter: Meter;
  /** Everybody in the session who wants to know the models asks here, so that each provider is asked once. */
  readonly #models: ModelCatalog;
  readonly #mail: SessionMail;
  readonly #questions: Questions;
  readonly #journal: TurnJournal;
  readonly #spoken = new SpokenText();
  readonly #warnings: string[];
  readonly #cleanups: (() => void)[] = [];
  readonly #ending: Partial<Ending> = { thrown: null, loop_status: null };
  #context: LoggedContext | null = null;
  #below: Usage = NO_USAGE;
  #watchdog: Watchdog | null = null;
  #executing: Promise<unknown> = Promise.resolve();
  /** Providers that the loop passed over for the next, in the middle of the turn. */
  readonly failovers: Fallback[] = [];

  constructor(options: AttemptOptions, equipment: Equipment, turn: Turn, deadline: number | null) {
    const { clock, loader, display, report, onQuestion, withoutTimeout = false } = options;
    const { launch, log } = turn;
    this.#options = options;
    this.#equipment = equipment;
    this.#turn = turn;
    this.#deadline = deadline;
    this.#warnings = [...turn.warnings];
    this.#mail = new SessionMail(log, report);
    this.#journal = new TurnJournal(log, clock);
    this.#questions = new Questions({
      log,
      clock,
      agent: launch.agent.name,
      onQuestion: onQuestion ?? (() => {}),
      left: turn.questions,
      withoutTimeout,
    });
    this.#meter = new Meter({
      budget: turn.budget,
      max_turns: launch.limits.max_turns,
      onCall: (call) => this.#journal.note({ name: 'llm:response', data: { ...call } }),
      onProgress: () => this.#watchdog?.touch(),
      settle: () => this.#journal.settle(),
      gates: providerGates(options.store.shelf, clock),
      onWait: (wait) => void this.#session.coordinator.hooks.emit(EVENTS.PROVIDER_WAIT, wait),
    });
    this.#session = new Session({
      plan: turn.plan,
      metadata: launch.plan.session.metadata,
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
    const mounted = this.#session.coordinator.mounts.all('providers');
    const inner = (name: string) => {
      const provider = mounted.get(name);
      return provider instanceof MeteredProvider ? provider.inner : provider;
    };
    this.#models = modelCatalog({ has: (name) => mounted.has(name), get: inner }, turn.models ?? undefined);
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

  /** Opens the session from its record, with its history, its prompt and its limits in place. */
  async #open(): Promise<void> {
    const { coordinator } = this.#session;
    const { log, cancellation } = this.#turn;
    const { store } = this.#options;
    this.#cleanups.push(cancellation.token.registerChild(coordinator.cancellation));
    const history = await loadHistory(store, log.metadata);
    const parent = runningParent(this.#session, this.#turn, {
      addUsage: (usage) => {
        this.#below = addUsage(this.#below, usage);
      },
      askAndEnd: (question) => cancellation.stop({ kind: 'question', question }, 'graceful'),
      storedHistory: history.whole ? null : store,
      journal: this.#journal,
      models: this.#models,
    });
    this.#register(coordinator);
    this.#compose(coordinator);
    this.#equipment.equip(coordinator, parent, this.#questions);
    this.#watch();
    await this.#session.initialize();
    await this.#fill(history);
    await this.#listenForMail(parent);
  }

  /** What modules may ask of the session they run in. */
  #register(coordinator: Coordinator): void {
    const { session_id, root_id, workspace, grant } = this.#turn.launch;
    coordinator.hooks.setDefaults({ root_id });
    coordinator.registerCapability('session.root_id', root_id);
    coordinator.registerCapability('session.working_dir', workspace.cwd);
    coordinator.registerCapability('session.grant', grant);
    const { isolation } = this.#turn;
    if (isolation) coordinator.registerCapability('session.isolation', isolation);
    const answers = this.#options.store.answersFolder(session_id);
    if (answers !== null) coordinator.registerCapability('session.answers_folder', answers);
    coordinator.registerCapability('session.steer', (options) => this.#mail.take(options));
    coordinator.registerCapability('session.routing', { catalog: this.#models });
  }

  /** Whatever context manager mounts writes to the log, and every provider is metered. */
  #compose(coordinator: Coordinator): void {
    const { mounts } = coordinator;
    mounts.compose('context', (inner) => {
      this.#context = new LoggedContext(inner, this.#turn, this.#journal, this.#mail, (tool) =>
        beginsWithWrite(coordinator, tool),
      );
      return this.#context;
    });
    const providers = mounts.all('providers');
    mounts.compose('providers', (inner) => new MeteredProvider(inner, this.#meter, this.#models, providers));
  }

  /** History and system prompt, which the mounted context manager does not bring itself. */
  async #fill({ messages }: History): Promise<void> {
    const context = this.#context;
    if (!context) return;
    const { launch } = this.#turn;
    if (messages.length > 0) await context.setMessages(messages);
    const { systemPrompt } = this.#options;
    const prompt = systemPrompt ? await systemPrompt(launch) : launch.agent.instruction;
    if (prompt !== null && prompt !== '') {
      if (context.setSystemPromptFactory) context.setSystemPromptFactory(async () => prompt);
      else await context.setMessages([{ role: 'system', content: prompt }, ...messages]);
    }
    context.begin();
  }

  #listenForMail(parent: Parent): Promise<void> {
    const { cancellation, number } = this.#turn;
    return this.#mail.open(number, {
      onCancel: ({ from, body }) =>
        cancellation.stop(
          { kind: 'cancel', by: from ?? 'user' },
          body.level === 'graceful' ? 'graceful' : 'immediate',
        ),
      onAnswer: (item) => this.#questions.onAnswer(item),
      onMessage: async (item) => {
        this.#watchdog?.touch();
        if (item.kind === 'completion') await this.#journal.await(this.#announceEnd(item, parent));
      },
    });
  }

  /** Says the instruction and, where the answer must have a form, asks once more for an answer that does not have it. */
  async #talk(): Promise<void> {
    const { launch, instruction, cancellation } = this.#turn;
    const { output_schema: schema } = launch;
    await this.#execute(instruction);
    if (!schema || cancellation.reason) return;
    let reading = await readStructuredAnswer(this.#spoken.text, schema);
    if ('fault' in reading) {
      await this.#execute(repairPrompt(reading.fault, schema));
      if (cancellation.reason) return;
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
    const steps = [
      () => this.#mail.close(),
      () => this.#questions.close(),
      // Children that ended meanwhile are announced while somebody still listens.
      () => this.#journal.flush(),
      () => this.#closeSession(),
      () => {
        for (const cleanup of this.#cleanups.reverse()) cleanup();
        return this.#journal.flush();
      },
    ];
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        // What fails while the session is closed does not keep the rest from being closed.
        this.#ending.thrown ??= error;
      }
    }
    const { launch, cancellation, carried } = this.#turn;
    return outcomeOf({
      launch,
      text: this.#spoken.text,
      thrown: this.#ending.thrown ?? null,
      stopped: cancellation.reason,
      loop_status: this.#ending.loop_status ?? null,
      loop_reason: this.#ending.loop_reason ?? null,
      finish_reason: finish_reason ?? null,
      turn_count: Math.max(1, calls),
      usage: addUsage(addUsage(carried, usage), this.#below),
      model_used: model,
      warnings: this.#warnings,
      ...(this.#ending.data === undefined ? {} : { data: this.#ending.data }),
      ...(this.#ending.mismatch === undefined ? {} : { mismatch: this.#ending.mismatch }),
    });
  }

  #watch(): void {
    const { hooks } = this.#session.coordinator;
    const { clock } = this.#options;
    const { launch, observe, cancellation } = this.#turn;
    const { timeout, stall } = launch.limits;
    let lineage: ReturnType<typeof lineageOf> | undefined;
    const isLookedAt = () => observe !== null && isWatched(this.#turn);
    const onEvent: EventObserver = (name, data) => {
      this.#watchdog?.touch();
      this.#journal.watch(name, data);
      if (data.session_id === launch.session_id) this.#listen(name, data);
      if (!observe || !isLookedAt()) return;
      lineage ??= lineageOf(launch);
      observe(name, data.lineage ? data : { ...data, lineage });
    };
    // Every event is a sign of life; made up for somebody are only those that the engine uses, as long as nobody looks on.
    const isWanted = (name: string) => {
      this.#watchdog?.touch();
      return isUsed(name) || isLookedAt();
    };
    this.#cleanups.push(hooks.observe(onEvent, isWanted));
    if (this.#deadline !== null) {
      this.#cleanups.push(
        clock.after(Math.max(0, this.#deadline - clock.now()), () => {
          const message = `The agent was not done after ${timeout} s. Raise 'timeout', or resume the session to let it continue.`;
          cancellation.stop({ kind: 'limit', limit: 'time', message }, 'immediate');
        }),
      );
    }
    if (stall !== null) {
      this.#watchdog = new Watchdog(clock, stall, () => {
        const message = `No progress for ${stall} s while no tool ran. Resume the session to try again.`;
        cancellation.stop({ kind: 'stall', message }, 'immediate');
      });
    }
  }

  /** The terminal event of a background child is announced where its parent runs, when the news arrives there. */
  async #announceEnd({ body }: MailItem, parent: Parent): Promise<void> {
    const event = body.event as DelegateEvent | undefined;
    const [news] = await keepOnce(event ? [event] : [], this.#turn.log, this.#options.store);
    if (news) await announce(news, { hooks: parent.hooks, log: null });
  }

  #listen(name: string, data: Readonly<Record<string, unknown>>): void {
    this.#spoken.listen(name, data);
    sayAlong(this.#turn.log, name, data);
    if (name === EVENTS.PROVIDER_FALLBACK) this.failovers.push(data as unknown as Fallback);
    if (name === 'tool:pre') this.#watchdog?.toolStarted(String(data.tool_call_id));
    if (name === 'tool:post' || name === 'tool:error') this.#watchdog?.toolEnded(String(data.tool_call_id));
    if (name === 'orchestrator:complete') {
      const { status, metadata } = data;
      this.#ending.loop_status = String(status);
      this.#ending.loop_reason = isPlainObject(metadata) ? String(metadata.reason ?? '') : null;
    }
  }

  /** Waits for the loop, but not for ever once it was told to stop at once. */
  async #execute(instruction: string): Promise<void> {
    const executing = this.#session.execute(instruction);
    this.#executing = executing;
    const abandoned = abandonment(this.#turn.cancellation.token, this.#options.clock);
    try {
      const answer = await Promise.race([executing, abandoned.promise]);
      if (answer !== null) this.#spoken.final(answer);
    } catch (error) {
      executing.catch(() => {});
      if (!this.#turn.cancellation.reason) throw error;
    } finally {
      abandoned.cancel();
    }
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
