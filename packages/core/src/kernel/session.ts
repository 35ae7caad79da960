import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../data/json.js';
import { Plan } from '../plan.js';
import { redactSecrets } from '../secrets/redact-secrets.js';
import type { Orchestrator, TurnRuntime } from './contracts/orchestrator.js';
import { Coordinator, type CoordinatorOptions } from './coordinator.js';
import { errorInfo } from './errors/amplifier-error.js';
import { KernelError } from './errors/kernel-error.js';
import { EVENTS } from './events.js';
import { initializeSession } from './initialize-session.js';
import { ModuleLoader } from './module-loader.js';
import { type ModuleEntry, type MountPlan, moduleSpec } from './mount-plan.js';
import { overlayPlan } from './overlay-plan.js';

export interface SessionOptions extends Omit<CoordinatorOptions, 'session'> {
  /** Never changed: the session has sections of its own, see `Coordinator.plan`. */
  plan: MountPlan;
  /** Mounted in place of the plan's. */
  providers?: readonly ModuleEntry[] | undefined;
  /** Takes the place of the plan's own: what tells sessions of one plan apart. */
  metadata?: JsonObject | undefined;
  loader?: ModuleLoader;
  /** The kernel knows no id scheme. Without one it makes up a UUID. */
  id?: string;
  parent_id?: string | null;
  /** Announce the first turn as `session:resume` instead of `session:start`. */
  is_resumed?: boolean;
}

export type SessionState = 'created' | 'ready' | 'running' | 'completed' | 'failed' | 'cancelled' | 'closed';

export interface SessionStatus {
  state: SessionState;
  /** What the last turn, or the initialization, threw. */
  last_error: unknown;
}

/** A conversation with a model: a plan that is mounted, run turn by turn, and taken down again. */
export class Session {
  readonly id: string;
  readonly parent_id: string | null;
  readonly coordinator: Coordinator;
  #options: SessionOptions;
  #loader: ModuleLoader;
  #status: SessionStatus = { state: 'created', last_error: null };
  #initializing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #ready = false;
  #announced = false;

  constructor(options: SessionOptions) {
    const plan = Plan.valid(options.plan);
    const { id = randomUUID(), parent_id = null, loader = new ModuleLoader() } = options;
    const live = plan.withMetadata(options.metadata ?? options.plan.session.metadata);
    this.id = id;
    this.parent_id = parent_id;
    this.#options = options;
    this.#loader = loader;
    const { clock, approval, display, report } = options;
    const session = { id, parent_id };
    this.coordinator = new Coordinator({ session, plan: live, clock, approval, display, report });
  }

  /** The session's own plan, the same object the modules see: `Plan.of` gives it as a plan. */
  get plan(): MountPlan {
    return this.coordinator.plan;
  }

  get status(): Readonly<SessionStatus> {
    return this.#status;
  }

  /** Mounts the modules. A second call waits for the first; after a failure it fails the same way. */
  initialize(): Promise<void> {
    this.#initializing ??= this.#initialize();
    return this.#initializing;
  }

  /** Runs one turn and returns the answer. Throws what the orchestrator threw, unchanged. */
  async execute(prompt: string): Promise<string> {
    this.#requireReady();
    const before = this.#status;
    this.#status = { state: 'running', last_error: null };
    try {
      const [orchestrator, runtime] = turnRuntime(this.coordinator);
      await this.#announce();
      this.coordinator.resetTurn();
      const answer = await orchestrator.execute(prompt, runtime);
      await this.#settle(null);
      return answer;
    } catch (error) {
      await this.#settle(error);
      throw error;
    } finally {
      if (this.#status.state === 'running') this.#status = before;
    }
  }

  /**
   * An isolated child on this session's plan with `overlay` laid over it, ready to execute. It shares the loader and the
   * way to people, takes over every cancellation of this session, and nothing it does changes this session's plan.
   */
  async fork(overlay: JsonObject = {}, task?: string, options: { id?: string } = {}): Promise<Session> {
    if (this.#closing) throw closed(this.id);
    const { clock, approval, display, report } = this.#options;
    const shared = { loader: this.#loader, clock, approval, display, report };
    const plan = overlayPlan({ ...this.plan, session: { ...this.plan.session, metadata: {} } }, overlay);
    if (task !== undefined) plan.session.metadata = { ...plan.session.metadata, task_description: task };
    const { metadata } = plan.session;
    const own = { plan, metadata, parent_id: this.id };
    const child = new Session({ ...own, ...shared, ...options });
    const { cancellation, mounts } = this.coordinator;
    child.coordinator.registerCleanup(cancellation.registerChild(child.coordinator.cancellation));
    const resolver = mounts.one('module-source-resolver');
    if (resolver) child.coordinator.mounts.mount('module-source-resolver', resolver);
    const workingDir = this.coordinator.getCapability('session.working_dir');
    if (workingDir !== null) child.coordinator.registerCapability('session.working_dir', workingDir);
    await child.initialize();
    return child;
  }

  /** Says `session:end`, then takes the modules down, last mounted first. The session cannot be used afterwards. */
  cleanup(): Promise<void> {
    if (this.#status.state === 'running') throw busy(this.id);
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.cleanup();
  }

  async #initialize(): Promise<void> {
    if (this.#closing) throw closed(this.id);
    try {
      await initializeSession(this.coordinator, this.#loader, this.#options.providers);
      this.#ready = true;
      this.#status = { state: 'ready', last_error: null };
    } catch (error) {
      this.#status = { state: 'failed', last_error: error };
      await this.coordinator.cleanup();
      throw error;
    }
  }

  #requireReady(): void {
    if (this.#closing) throw closed(this.id);
    const { state, last_error } = this.#status;
    if (state === 'running') throw busy(this.id);
    if (!this.#ready) {
      throw new KernelError(`Session ${this.id} is not initialized; call initialize() first.`, {
        code: 'SESSION_NOT_INITIALIZED',
        cause: last_error ?? undefined,
      });
    }
  }

  async #announce(): Promise<void> {
    const { hooks } = this.coordinator;
    const { metadata, raw } = this.plan.session;
    if (!this.#announced) {
      this.#announced = true;
      const event = this.#options.is_resumed ? EVENTS.SESSION_RESUME : EVENTS.SESSION_START;
      await hooks.emit(event, metadata ? { metadata } : {});
    }
    if (raw) await hooks.emit(EVENTS.SESSION_CONFIG, { raw: redactSecrets(this.plan) });
  }

  #settle(error: unknown): unknown {
    const { cancellation, hooks } = this.coordinator;
    if (!cancellation.isCancelled) {
      this.#status = { state: error === null ? 'completed' : 'failed', last_error: error };
      return undefined;
    }
    this.#status = { state: 'cancelled', last_error: error };
    return hooks.emit(EVENTS.CANCEL_COMPLETED, {
      was_immediate: cancellation.isImmediate,
      ...(error === null ? {} : { error: errorInfo(error) }),
    });
  }

  async #close(): Promise<void> {
    const { state, last_error } = this.#status;
    if (state !== 'created') await this.coordinator.hooks.emit(EVENTS.SESSION_END, { status: state });
    await this.coordinator.cleanup();
    this.#status = { state: 'closed', last_error };
  }
}

function turnRuntime(coordinator: Coordinator): [Orchestrator, TurnRuntime] {
  const { mounts, hooks } = coordinator;
  const orchestrator = mounts.one('orchestrator');
  const context = mounts.one('context');
  const providers = mounts.all('providers');
  if (!orchestrator) throw nothingMounted('orchestrator');
  if (!context) throw nothingMounted('context manager');
  if (providers.size === 0) throw noProvider(coordinator);
  return [orchestrator, { context, providers, tools: mounts.all('tools'), hooks, coordinator }];
}

/** Says of each that was to be mounted why it is not: without a model that is all there is to say. */
function noProvider({ plan, diagnostics }: Coordinator): KernelError {
  const wanted = new Set((plan.providers ?? []).map((entry) => moduleSpec(entry)?.module));
  const failed = diagnostics.filter(({ module_id }) => module_id !== undefined && wanted.has(module_id));
  if (failed.length === 0) return nothingMounted('provider');
  const isForCredentials = failed.every(({ code }) => code === 'CREDENTIALS_MISSING');
  return new KernelError(`No provider mounted. ${failed.map(({ message }) => message).join(' ')}`, {
    code: isForCredentials ? 'CREDENTIALS_MISSING' : 'NOTHING_MOUNTED',
  });
}

function nothingMounted(what: string): KernelError {
  const advice = "Add one to the plan, or see the session's diagnostics for one that failed.";
  return new KernelError(`No ${what} mounted. ${advice}`, { code: 'NOTHING_MOUNTED' });
}

function busy(id: string): KernelError {
  return new KernelError(`Session ${id} is executing a turn; wait for it or cancel it first.`, {
    code: 'SESSION_BUSY',
  });
}

function closed(id: string): KernelError {
  return new KernelError(`Session ${id} was cleaned up; make a new one.`, { code: 'SESSION_CLOSED' });
}
