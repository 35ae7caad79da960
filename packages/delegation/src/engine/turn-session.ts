import {
  addUsage,
  type Coordinator,
  EVENTS,
  graceAfter,
  NO_USAGE,
  Session,
  type Usage,
} from '@amplifier/core';
import {
  type ModelCatalog,
  type MountedCandidates,
  modelCatalog,
  mountCandidates,
} from '@amplifier/foundation';
import type { MailItem, SessionStore } from '@amplifier/sessions';
import { GRACE_MS } from '../defaults.js';
import { Meter, MeteredProvider } from '../metering/metered-provider.js';
import { providerGates } from '../metering/provider-gates.js';
import { announce, type DelegateEvent, keepOnce } from '../request/delegate-events.js';
import type { Outcome } from '../request/outcome.js';
import { type Runtime, reportError } from '../runtime.js';
import { beginsWithWrite, equipSession } from '../tools/equip-session.js';
import { type Guarantor, type Parent, type ParentLog, parentOf } from '../turn/parent.js';
import { isWatched, type Turn } from '../turn/turn.js';
import { type Ending, outcomeOf } from './ending.js';
import type { Engine } from './engine.js';
import { type History, inheritedHistory, loadHistory } from './load-history.js';
import { LoggedContext } from './logged-context.js';
import { Questions } from './questions.js';
import { SessionMail } from './session-mail.js';
import { readStructuredAnswer, repairPrompt } from './structured-answer.js';
import { TurnJournal } from './turn-journal.js';
import { TurnWatch } from './watch-turn.js';

/** The engine that runs agents in this process, on a model. */
export function inProcessEngine(runtime: Runtime): Engine {
  return { run: (turn) => new TurnSession(runtime, turn).run() };
}

/** The session of one turn, from opening to outcome. */
class TurnSession {
  readonly #runtime: Runtime;
  readonly #turn: Turn;
  readonly #session: Session;
  readonly #meter: Meter;
  /** Everybody in the session who wants to know the models asks here, so that each provider is asked once. */
  readonly #models: ModelCatalog;
  readonly #mail: SessionMail;
  readonly #questions: Questions;
  readonly #journal: TurnJournal;
  readonly #watch: TurnWatch;
  readonly #warnings: string[];
  #unlink = () => {};
  #releaseHistory: (() => void) | undefined;
  readonly #ending: Partial<Ending> = { thrown: null };
  #context: LoggedContext | null = null;
  #below: Usage = NO_USAGE;
  #executing: Promise<unknown> = Promise.resolve();
  readonly #candidates: MountedCandidates | null;

  constructor(runtime: Runtime, turn: Turn) {
    const { store, clock, loader, project } = runtime;
    const { display, report, onQuestion, withoutTimeout } = project;
    const { launch, log } = turn;
    this.#runtime = runtime;
    this.#turn = turn;
    this.#candidates = mountCandidates(turn.plan, launch.model.candidates, launch.model.chosen);
    this.#warnings = [...turn.warnings];
    this.#mail = new SessionMail(log, report);
    this.#journal = new TurnJournal(log, clock);
    this.#watch = new TurnWatch(turn, this.#journal, clock);
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
      onProgress: () => this.#watch.touch(),
      onAsk: () => this.#journal.commit(),
      gates: providerGates(store.shelf, clock),
      onWait: (wait) => void this.#session.coordinator.hooks.emit(EVENTS.PROVIDER_WAIT, wait),
    });
    this.#session = new Session({
      plan: turn.plan,
      providers: this.#candidates?.providers,
      metadata: launch.plan.session.metadata,
      loader,
      id: launch.session_id,
      parent_id: launch.parent_id,
      is_resumed: turn.number > 1,
      clock,
      approval: onQuestion ? this.#questions : undefined,
      display,
      report: (diagnostic) => {
        if (diagnostic.module_id) this.#warnings.push(diagnostic.message);
        report(diagnostic);
      },
    });
    const mounted = this.#session.coordinator.mounts.all('providers');
    const inner = (name: string) => {
      const provider = mounted.get(name);
      return provider instanceof MeteredProvider ? provider.inner : provider;
    };
    this.#models = modelCatalog({ has: (name) => mounted.has(name), get: inner }, turn.models ?? undefined);
  }

  async run(): Promise<Outcome> {
    try {
      await this.#open();
      await this.#talk();
    } catch (error) {
      this.#ending.thrown = error;
    }
    return await this.#close();
  }

  /** Opens the session from its record, with its history, its prompt and its limits in place. */
  async #open(): Promise<void> {
    const { coordinator } = this.#session;
    const { log, cancellation } = this.#turn;
    const { store, clock } = this.#runtime;
    this.#unlink = cancellation.token.registerChild(coordinator.cancellation);
    const loaded = loadHistory(store, log.metadata, cancellation.token, clock);
    const history = loaded instanceof Promise ? await loaded : loaded;
    this.#releaseHistory = history.release;
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
    equipSession(this.#runtime, coordinator, parent, this.#questions);
    this.#watch.start(coordinator.hooks);
    await this.#session.initialize();
    await this.#fill(history);
    const listening = this.#listenForMail(parent);
    if (listening) await listening;
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
    const answers = this.#runtime.store.answersFolder(session_id);
    if (answers !== null) coordinator.registerCapability('session.answers_folder', answers);
    coordinator.registerCapability('session.steer', () => this.#mail.take());
    coordinator.registerCapability('session.routing', { catalog: this.#models });
    if (this.#candidates) coordinator.registerCapability('session.candidates', this.#candidates.candidates);
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
    const prompt = await this.#runtime.project.systemPrompt(launch);
    if (prompt !== null && prompt !== '') {
      if (context.setSystemPromptFactory) context.setSystemPromptFactory(async () => prompt);
      else await context.setMessages([{ role: 'system', content: prompt }, ...messages]);
    }
    context.begin();
  }

  #listenForMail(parent: Parent): Promise<void> | undefined {
    const { cancellation, number } = this.#turn;
    return this.#mail.open(number, {
      onCancel: ({ from, body }) =>
        cancellation.stop(
          { kind: 'cancel', by: from ?? 'user' },
          body.level === 'graceful' ? 'graceful' : 'immediate',
        ),
      onAnswer: (item) => this.#questions.onAnswer(item),
      onMessage: async (item) => {
        this.#watch.touch();
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
    let reading = await readStructuredAnswer(this.#watch.text, schema);
    if ('fault' in reading) {
      await this.#execute(repairPrompt(reading.fault, schema));
      if (cancellation.reason) return;
      reading = await readStructuredAnswer(this.#watch.text, schema);
    }
    if ('fault' in reading) {
      this.#ending.mismatch = reading.fault;
      return;
    }
    this.#ending.data = reading.data;
  }

  /** Takes everything down and says how it ended. */
  async #close(): Promise<Outcome> {
    this.#watch.endWatchdog();
    const { calls, usage, model, finish_reason } = this.#meter.reading;
    const steps = [
      () => this.#mail.close(),
      () => this.#questions.close(),
      // Children that ended meanwhile are announced while somebody still listens.
      () => this.#journal.flush(),
      () => this.#closeSession(),
      () => {
        this.#releaseHistory?.();
        this.#watch.close();
        this.#unlink();
        return this.#journal.flush();
      },
    ];
    for (const step of steps) {
      try {
        const closing = step();
        if (closing) await closing;
      } catch (error) {
        // What fails while the session is closed does not keep the rest from being closed.
        this.#ending.thrown ??= error;
      }
    }
    const { launch, cancellation, carried } = this.#turn;
    const outcome = outcomeOf({
      launch,
      text: this.#watch.text,
      thrown: this.#ending.thrown ?? null,
      stopped: cancellation.reason,
      loop_status: this.#watch.loop_status,
      loop_reason: this.#watch.loop_reason,
      finish_reason: finish_reason ?? null,
      turn_count: Math.max(1, calls),
      usage: addUsage(addUsage(carried, usage), this.#below),
      model_used: model,
      warnings: this.#warnings,
      data: this.#ending.data,
      mismatch: this.#ending.mismatch,
    });
    const { fallbacks } = this.#watch;
    return fallbacks.length > 0 ? { ...outcome, fallbacks } : outcome;
  }

  /** The terminal event of a background child is announced where its parent runs, when the news arrives there. */
  async #announceEnd({ body }: MailItem, parent: Parent): Promise<void> {
    const event = body.event as DelegateEvent | undefined;
    const [news] = await keepOnce(event ? [event] : [], this.#turn.log, this.#runtime.store);
    if (news) await announce(news, { hooks: parent.hooks, log: null });
  }

  /** Waits for the loop, but not for ever once it was told to stop at once. */
  async #execute(instruction: string): Promise<void> {
    const executing = this.#session.execute(instruction);
    this.#executing = executing;
    const grace = graceAfter(this.#turn.cancellation.token, GRACE_MS, this.#runtime.clock);
    try {
      const answer = await Promise.race([executing, grace.over]);
      if (answer !== undefined) this.#watch.finalAnswer(answer);
    } catch (error) {
      executing.catch(() => {});
      if (!this.#turn.cancellation.reason) throw error;
    } finally {
      grace.cancel();
    }
  }

  async #closeSession(): Promise<void> {
    if (this.#session.status.state !== 'running') return this.#session.cleanup();
    // A loop that ignored the request to stop is left to end on its own, cut off from the log; then its modules go, too.
    void this.#executing
      .catch(() => {})
      .then(() => this.#session.cleanup())
      .catch((error: unknown) => reportError(this.#runtime, 'CLEANUP_FAILED', error));
  }
}

interface RunningParentOptions {
  addUsage: (usage: Usage) => void;
  askAndEnd: (question: string) => void;
  storedHistory: SessionStore | null;
  journal: ParentLog & Guarantor;
  models: ModelCatalog;
}

/** A running session as a parent of further delegations. */
function runningParent(
  session: Session,
  turn: Turn,
  { addUsage, askAndEnd, storedHistory, journal, models }: RunningParentOptions,
): Parent {
  const { coordinator } = session;
  const { launch } = turn;
  return {
    is_model: true,
    may_ask: launch.parent_id !== null && launch.may_ask,
    plan: session.plan,
    tree: turn.tree,
    budget: turn.budget,
    slot: turn.slot,
    cancellation: coordinator.cancellation,
    claim: turn.claim,
    hooks: coordinator.hooks,
    log: journal,
    guarantor: journal,
    models: () => models,
    roles: () => coordinator.getCapability('model_role_resolver'),
    // True if this session has observers beside the engine, or every ancestor has some.
    isWatched: () => coordinator.hooks.observerCount > 1 || isWatched(turn),
    async history() {
      // Only the end of a long conversation is loaded; a child that is to see more of it gets it from the log.
      if (storedHistory) return inheritedHistory(storedHistory, launch.session_id);
      return (await coordinator.mounts.one('context')?.getMessages()) ?? [];
    },
    addUsage,
    askAndEnd,
    ...parentOf(launch),
  };
}
