import { type Clock, isoTime, sleep, systemClock } from './clock.js';
import type { Report } from './diagnostics.js';
import { errorInfo } from './errors/amplifier-error.js';
import type { PayloadOf } from './events.js';
import { continueWith, type HookReply, type HookResult, readHookReply } from './hook-result.js';
import { cloneJson, type JsonObject } from './json.js';
import { mergeHookResults } from './merge-hook-results.js';

/** Sees an event, may answer. Gets a copy: only a `modify` answer changes what later handlers see. */
export type HookHandler = (event: string, data: JsonObject) => HookReply | Promise<HookReply>;

/** Sees every event once, after the handlers have spoken. Must not change the data; cannot answer. */
export type EventObserver = (event: string, data: Readonly<JsonObject>) => void;

export interface HookOptions {
  /** Lower runs first; equal priorities keep the order of registration. */
  priority?: number;
  /** Shown in reasons and diagnostics. */
  name?: string;
}

interface Registration {
  handler: HookHandler;
  priority: number;
  name: string;
}

const COLLECT_TIMEOUT_MS = 1000;

/** Where modules meet the events of a session. */
export class HookRegistry {
  #registrations = new Map<string, Registration[]>();
  #observers: EventObserver[] = [];
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

  register(
    event: string,
    handler: HookHandler,
    { priority = 0, name = handler.name || 'anonymous' }: HookOptions = {},
  ): () => void {
    const registration: Registration = { handler, priority, name };
    const others = this.#registrations.get(event) ?? [];
    this.#registrations.set(
      event,
      [...others, registration].sort((a, b) => a.priority - b.priority),
    );
    return () => {
      const left = this.#registrations.get(event)?.filter((other) => other !== registration) ?? [];
      if (left.length > 0) this.#registrations.set(event, left);
      else this.#registrations.delete(event);
    };
  }

  observe(observer: EventObserver): () => void {
    this.#observers = [...this.#observers, observer];
    return () => {
      this.#observers = this.#observers.filter((other) => other !== observer);
    };
  }

  get observerCount(): number {
    return this.#observers.length;
  }

  /** Does anybody listen? Lets an emitter on a hot path skip building a payload. */
  hasListeners(event: string): boolean {
    return this.#observers.length > 0 || this.#registrations.has(event);
  }

  /**
   * Offers an event to its handlers, one after the other. Deny ends the round. Handlers that throw are reported and
   * passed over. With no handler the data comes back as it is, neither completed nor stamped.
   */
  emit<Name extends string>(event: Name, data: PayloadOf<Name>): Promise<HookResult> {
    const payload = data as JsonObject;
    const registrations = this.#registrations.get(event);
    if (registrations) return this.#offer(registrations, event, this.#stamped(payload));
    if (this.#observers.length > 0) this.#show(event, this.#stamped(payload));
    return Promise.resolve(continueWith(payload));
  }

  async #offer(
    registrations: readonly Registration[],
    event: string,
    stamped: JsonObject,
  ): Promise<HookResult> {
    let current = stamped;
    const results: HookResult[] = [];
    for (const registration of registrations) {
      const result = await this.#ask(registration, event, current);
      if (result === null) continue;
      if (result.action === 'deny') {
        this.#show(event, current);
        return result;
      }
      if (result.action === 'modify' && result.data) current = result.data;
      results.push(result);
    }
    this.#show(event, current);
    return mergeHookResults(results, current);
  }

  /** Shows observers an event that another session emitted, such as a child's. Handlers are not asked: it has been decided. */
  relay(event: string, data: Readonly<JsonObject>): void {
    this.#show(event, data);
  }

  /** Asks every handler at once for data; those that fail or are slower than `timeoutMs` are left out. */
  async emitAndCollect(
    event: string,
    data: JsonObject,
    timeoutMs = COLLECT_TIMEOUT_MS,
  ): Promise<JsonObject[]> {
    const registrations = this.#registrations.get(event) ?? [];
    const answers = await Promise.all(
      registrations.map((registration) => this.#askWithin(timeoutMs, registration, event, data)),
    );
    return answers.flatMap((answer) => (answer?.data ? [answer.data] : []));
  }

  #stamped(payload: JsonObject): JsonObject {
    const stamped = { timestamp: '', ...this.#defaults, ...payload };
    stamped.timestamp = isoTime(this.#clock);
    return stamped;
  }

  async #ask({ handler, name }: Registration, event: string, data: JsonObject): Promise<HookResult | null> {
    try {
      return readHookReply(await handler(event, cloneJson(data)), name);
    } catch (error) {
      this.#report({
        level: 'warning',
        code: 'HOOK_FAILED',
        message: `Hook '${name}' failed on ${event}: ${errorInfo(error).message}`,
        error,
      });
      return null;
    }
  }

  async #askWithin(
    timeoutMs: number,
    registration: Registration,
    event: string,
    data: JsonObject,
  ): Promise<HookResult | null> {
    const done = new AbortController();
    const late = sleep(this.#clock, timeoutMs, done.signal).then(
      () => {
        this.#report({
          level: 'warning',
          code: 'HOOK_TIMEOUT',
          message: `Hook '${registration.name}' did not answer ${event} within ${timeoutMs} ms.`,
        });
        return null;
      },
      () => null,
    );
    const answer = await Promise.race([this.#ask(registration, event, data), late]);
    done.abort();
    return answer;
  }

  #show(event: string, data: Readonly<JsonObject>): void {
    for (const observer of this.#observers) {
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
