import { cloneJson, isSameJson, type JsonObject } from '../data/json.js';
import { type Clock, isoTime, systemClock } from '../process/clock.js';
import { within } from '../process/within.js';
import type { Report } from './diagnostics.js';
import { errorInfo } from './errors/amplifier-error.js';
import type { PayloadOf } from './events.js';
import { continueWith, type HookReply, type HookResult, hookResult, readHookReply } from './hook-result.js';
import { mergeHookResults } from './merge-hook-results.js';

/**
 * A guard: sees an event before it takes effect, and may answer. Gets a copy: only a `modify` answer changes what later
 * guards see. One that throws, or has not answered in its time, has denied.
 */
export type HookHandler = (event: string, data: JsonObject) => HookReply | Promise<HookReply>;

/** Is told of an event that was not denied, after the guards. What it returns is not looked at, and its failure is only reported. */
export type HookListener = (event: string, data: JsonObject) => unknown;

/** Sees every event once, after the handlers have spoken. Must not change the data; cannot answer. */
export type EventObserver = (event: string, data: Readonly<JsonObject>) => void;

/** Does an observer want to see an event of this session? Asked before the event is completed and stamped for it. */
export type IsWanted = (event: string) => boolean;

export interface HookOptions {
  /** Lower runs first; equal priorities keep the order of registration. */
  priority?: number;
  /** Shown in reasons and diagnostics. */
  name?: string;
  /** How long it may take to answer. */
  timeoutMs?: number;
  /** It judges what will be done: that is denied when a later guard changes it. */
  judges?: boolean;
}

interface Registration<Handler> extends Required<HookOptions> {
  handler: Handler;
}

/** Long enough for a program that compiles before it judges; a turn must not hang on a hook for good. */
export const HOOK_TIMEOUT_MS = 120_000;

/** Why a hook gave no answer. */
class NoAnswer {
  constructor(readonly why: string) {}
}

/** Where modules meet the events of a session. */
export class HookRegistry {
  #guards = new Map<string, Registration<HookHandler>[]>();
  #listeners = new Map<string, Registration<HookListener>[]>();
  #observers: { observer: EventObserver; isWanted: IsWanted }[] = [];
  readonly #defaults: JsonObject = {};
  #clock: Clock;
  #report: Report;

  constructor({ clock = systemClock, report = () => {} }: { clock?: Clock; report?: Report } = {}) {
    this.#clock = clock;
    this.#report = report;
  }

  /** Fields that every event carries unless its emitter sets them. */
  setDefaults(fields: JsonObject): void {
    Object.assign(this.#defaults, fields);
  }

  /** Adds a guard. For hooks that only want to know, see `listen` and `observe`. */
  register(event: string, handler: HookHandler, options?: HookOptions): () => void {
    return add(this.#guards, event, handler, options);
  }

  listen(event: string, listener: HookListener, options?: HookOptions): () => void {
    return add(this.#listeners, event, listener, options);
  }

  observe(observer: EventObserver, isWanted: IsWanted = () => true): () => void {
    const added = { observer, isWanted };
    this.#observers = [...this.#observers, added];
    return () => {
      this.#observers = this.#observers.filter((other) => other !== added);
    };
  }

  get observerCount(): number {
    return this.#observers.length;
  }

  /** Does anybody listen? Lets an emitter on a hot path skip building a payload. */
  hasListeners(event: string): boolean {
    if (this.#guards.has(event) || this.#listeners.has(event)) return true;
    return this.#observers.some(({ isWanted }) => isWanted(event));
  }

  /**
   * Offers an event to its guards, one after the other, then tells its listeners. Deny ends the round, and so does a guard
   * that fails. With nobody to ask or tell, the data comes back as it is, neither completed nor stamped.
   */
  emit<Name extends string>(event: Name, data: PayloadOf<Name>): Promise<HookResult> {
    const payload = data as JsonObject;
    const guards = this.#guards.get(event);
    const listeners = this.#listeners.get(event);
    if (guards || listeners) return this.#offer(guards ?? [], listeners ?? [], event, this.#stamped(payload));
    if (this.hasListeners(event)) this.#show(event, this.#stamped(payload));
    return Promise.resolve(continueWith(payload));
  }

  async #offer(
    guards: readonly Registration<HookHandler>[],
    listeners: readonly Registration<HookListener>[],
    event: string,
    stamped: JsonObject,
  ): Promise<HookResult> {
    let current = stamped;
    const results: HookResult[] = [];
    let judge: string | null = null;
    for (const guard of guards) {
      const result = await this.#ask(guard, event, current);
      if (result instanceof NoAnswer) return this.#failClosed(guard, event, current, result);
      if (result?.action === 'deny') {
        this.#show(event, current);
        return result;
      }
      if ((result?.action === 'modify' || result?.action === 'ask_user') && result.data) {
        if (judge !== null && !isSameJson(result.data, current)) {
          this.#show(event, current);
          return changedAfterJudgement(event, guard.name, judge);
        }
        current = result.data;
      }
      if (guard.judges || result?.action === 'ask_user') judge ??= guard.name;
      if (result) results.push(result);
    }
    for (const listener of listeners) await this.#tell(listener, event, current);
    this.#show(event, current);
    return mergeHookResults(results, current);
  }

  /** The guard may have been the one that takes secrets out, so observers learn that the event was, not what it held. */
  #failClosed(
    { name }: Registration<HookHandler>,
    event: string,
    data: JsonObject,
    { why }: NoAnswer,
  ): HookResult {
    const reason = `Hook '${name}' ${why}, so ${event} is denied.`;
    const { tool_name, tool_call_id, parallel_group_id } = data;
    const named = tool_call_id === undefined ? {} : { tool_name, tool_call_id, parallel_group_id };
    this.#show(event, this.#stamped({ ...named, denied: reason }));
    return hookResult({ action: 'deny', reason });
  }

  /** Shows observers an event that another session emitted, such as a child's. Handlers are not asked: it has been decided. */
  relay(event: string, data: Readonly<JsonObject>): void {
    this.#show(event, data);
  }

  #stamped(payload: JsonObject): JsonObject {
    const stamped = { timestamp: '', ...this.#defaults, ...payload };
    stamped.timestamp = isoTime(this.#clock);
    return stamped;
  }

  async #ask(
    guard: Registration<HookHandler>,
    event: string,
    data: JsonObject,
  ): Promise<HookResult | NoAnswer | null> {
    try {
      const reply = guard.handler(event, cloneJson(data));
      const answer = isPromise(reply) ? await this.#inTime(guard, event, reply) : reply;
      return answer instanceof NoAnswer ? answer : readHookReply(answer, guard.name);
    } catch (error) {
      return this.#failed(guard, event, error);
    }
  }

  async #tell(listener: Registration<HookListener>, event: string, data: JsonObject): Promise<void> {
    try {
      const done = listener.handler(event, cloneJson(data));
      if (isPromise(done)) await this.#inTime(listener, event, done);
    } catch (error) {
      this.#failed(listener, event, error);
    }
  }

  #failed({ name }: { name: string }, event: string, error: unknown): NoAnswer {
    const { message } = errorInfo(error);
    this.#report({
      level: 'warning',
      code: 'HOOK_FAILED',
      message: `Hook '${name}' failed on ${event}: ${message}`,
      error,
    });
    return new NoAnswer(`failed (${message})`);
  }

  async #inTime<T>(
    { name, timeoutMs }: { name: string; timeoutMs: number },
    event: string,
    answer: Promise<T>,
  ): Promise<T | NoAnswer> {
    const given = await within(answer, timeoutMs, this.#clock);
    if (given.done) return given.value;
    const late = `did not answer ${event} within ${timeoutMs} ms`;
    this.#report({ level: 'warning', code: 'HOOK_TIMEOUT', message: `Hook '${name}' ${late}.` });
    return new NoAnswer(`did not answer within ${timeoutMs} ms`);
  }

  #show(event: string, data: Readonly<JsonObject>): void {
    for (const { observer } of this.#observers) {
      try {
        observer(event, data);
      } catch (error) {
        this.#report({
          level: 'error',
          code: 'OBSERVER_FAILED',
          message: `An observer failed on ${event}.`,
          error,
        });
      }
    }
  }
}

function add<Handler extends HookHandler | HookListener>(
  to: Map<string, Registration<Handler>[]>,
  event: string,
  handler: Handler,
  options: HookOptions = {},
): () => void {
  const { priority = 0, name = handler.name || 'anonymous', timeoutMs = HOOK_TIMEOUT_MS } = options;
  const { judges = false } = options;
  const registration: Registration<Handler> = { handler, priority, name, timeoutMs, judges };
  const others = to.get(event) ?? [];
  to.set(
    event,
    [...others, registration].sort((a, b) => a.priority - b.priority),
  );
  return () => {
    const left = to.get(event)?.filter((other) => other !== registration) ?? [];
    if (left.length > 0) to.set(event, left);
    else to.delete(event);
  };
}

/** A person, or a rule, would say yes to one thing and another would be done. */
function changedAfterJudgement(event: string, changer: string, judge: string): HookResult {
  return hookResult({
    action: 'deny',
    reason: `Hook '${changer}' changed ${event} after '${judge}' had judged it. Give the one that changes the lower priority.`,
  });
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
