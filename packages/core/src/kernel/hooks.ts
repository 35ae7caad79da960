import { cloneJson, isSameJson, type JsonObject } from '../data/json.js';
import { type Clock, isoTime, systemClock } from '../process/clock.js';
import { within } from '../process/within.js';
import type { Report } from './diagnostics.js';
import { errorInfo } from './errors/amplifier-error.js';
import type { PayloadOf } from './events.js';
import { continueWith, type HookReply, type HookResult, hookResult, readHookReply } from './hook-result.js';

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

interface Registration extends Required<HookOptions> {
  handler: HookHandler | HookListener;
  isGuard: boolean;
}

/** One event on its way through its handlers. */
interface Round {
  event: string;
  handlers: readonly Registration[];
  /** As the guards asked so far have left it. */
  data: JsonObject;
  results: HookResult[];
  /** The guard after which the data must not change any more. */
  judge: string | null;
  /** Handlers asked so far. */
  asked: number;
}

/** Long enough for a program that compiles before it judges; a turn must not hang on a hook for good. */
export const HOOK_TIMEOUT_MS = 120_000;

/** Why a hook gave no answer. */
class NoAnswer {
  constructor(readonly why: string) {}
}

type Answer = HookResult | NoAnswer | null;

/** Where modules meet the events of a session. */
export class HookRegistry {
  /** By event: guards before listeners, each in order of priority. */
  #handlers = new Map<string, readonly Registration[]>();
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
    return this.#add(event, handler, true, options);
  }

  listen(event: string, listener: HookListener, options?: HookOptions): () => void {
    return this.#add(event, listener, false, options);
  }

  observe(observer: EventObserver, isWanted: IsWanted = () => true): () => void {
    const added = { observer, isWanted };
    this.#observers = [...this.#observers, added];
    return () => {
      this.#observers = this.#observers.filter((other) => other !== added);
    };
  }

  #add(
    event: string,
    handler: HookHandler | HookListener,
    isGuard: boolean,
    options: HookOptions = {},
  ): () => void {
    const { priority = 0, name = handler.name || 'anonymous', timeoutMs = HOOK_TIMEOUT_MS } = options;
    const { judges = false } = options;
    const added: Registration = { handler, isGuard, priority, name, timeoutMs, judges };
    const handlers = [...(this.#handlers.get(event) ?? []), added];
    handlers.sort((a, b) => Number(b.isGuard) - Number(a.isGuard) || a.priority - b.priority);
    this.#handlers.set(event, handlers);
    return () => {
      const left = this.#handlers.get(event)?.filter((other) => other !== added) ?? [];
      if (left.length > 0) this.#handlers.set(event, left);
      else this.#handlers.delete(event);
    };
  }

  get observerCount(): number {
    return this.#observers.length;
  }

  #isObserved(event: string): boolean {
    for (const { isWanted } of this.#observers) if (isWanted(event)) return true;
    return false;
  }

  /**
   * Offers an event to its guards, one after the other, then to its listeners. Deny ends the round, and so does a guard that
   * fails. Returns a promise only if a handler returned one. Without handlers, the data comes back neither completed nor stamped.
   */
  emit<Name extends string>(event: Name, data: PayloadOf<Name>): HookResult | Promise<HookResult> {
    const payload = data as JsonObject;
    const handlers = this.#handlers.get(event);
    if (handlers) {
      const data = this.#stamped(payload);
      return this.#offer({ event, handlers, data, results: [], judge: null, asked: 0 });
    }
    if (this.#isObserved(event)) this.#show(event, this.#stamped(payload));
    return continueWith(payload);
  }

  /** Asks the handlers that are left, without a promise as long as none returns one. */
  #offer(round: Round): HookResult | Promise<HookResult> {
    for (let hook = round.handlers[round.asked]; hook; hook = round.handlers[round.asked]) {
      round.asked++;
      const answer = this.#ask(hook, round);
      if (answer instanceof Promise) return this.#offerLater(round, hook, answer);
      const end = this.#hear(round, hook, answer);
      if (end) return end;
    }
    this.#show(round.event, round.data);
    return mergeHookResults(round.results, round.data);
  }

  async #offerLater(round: Round, hook: Registration, answer: Promise<Answer>): Promise<HookResult> {
    return this.#hear(round, hook, await answer) ?? this.#offer(round);
  }

  /** Adds the answer of a guard to the round. Returns the result of the round if the answer ends it. */
  #hear(round: Round, hook: Registration, answer: Answer): HookResult | null {
    const { event, data, results, judge } = round;
    if (!hook.isGuard) return null;
    if (answer instanceof NoAnswer) return this.#failClosed(hook, event, data, answer);
    if (answer?.action === 'deny') {
      this.#show(event, data);
      return answer;
    }
    if ((answer?.action === 'modify' || answer?.action === 'ask_user') && answer.data) {
      if (judge !== null && !isSameJson(answer.data, data)) {
        this.#show(event, data);
        return changedAfterJudgement(event, hook.name, judge);
      }
      round.data = answer.data;
    }
    if (hook.judges || answer?.action === 'ask_user') round.judge ??= hook.name;
    if (answer) results.push(answer);
    return null;
  }

  /** The guard may have been the one that takes secrets out, so observers learn that the event was, not what it held. */
  #failClosed({ name }: Registration, event: string, data: JsonObject, { why }: NoAnswer): HookResult {
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

  #ask(hook: Registration, { event, data }: Round): Answer | Promise<Answer> {
    try {
      const reply = hook.handler(event, cloneJson(data));
      return isPromise(reply) ? this.#askInTime(hook, event, reply) : readHookReply(reply, hook.name);
    } catch (error) {
      return this.#failed(hook, event, error);
    }
  }

  async #askInTime(hook: Registration, event: string, reply: Promise<unknown>): Promise<Answer> {
    const { name, timeoutMs } = hook;
    try {
      const given = await within(reply, timeoutMs, this.#clock);
      if (given.done) return readHookReply(given.value, name);
    } catch (error) {
      return this.#failed(hook, event, error);
    }
    const message = `Hook '${name}' did not answer ${event} within ${timeoutMs} ms.`;
    this.#report({ level: 'warning', code: 'HOOK_TIMEOUT', message });
    return new NoAnswer(`did not answer within ${timeoutMs} ms`);
  }

  #failed({ name }: Registration, event: string, error: unknown): NoAnswer {
    const { message } = errorInfo(error);
    this.#report({
      level: 'warning',
      code: 'HOOK_FAILED',
      message: `Hook '${name}' failed on ${event}: ${message}`,
      error,
    });
    return new NoAnswer(`failed (${message})`);
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

/**
 * Merges the answers of the guards into one: ask_user beats injections, injections beat continue. (Deny ended the round
 * before.) Every question is kept: each has to be answered with yes. What they say to the user is kept, except beside a
 * question, where nothing else is shown.
 */
function mergeHookResults(results: readonly HookResult[], data: JsonObject): HookResult {
  const [question, ...further_questions] = results.filter((result) => result.action === 'ask_user');
  // What is asked for is what earlier handlers made of it, so the answer must carry that and nothing else.
  if (question) return { ...question, data, ...(further_questions.length > 0 ? { further_questions } : {}) };
  const said = messages(results);
  const injections = results.filter(
    (result) => result.action === 'inject_context' && result.context_injection != null,
  );
  const [first] = injections;
  if (first) {
    return {
      ...first,
      ...said,
      data,
      context_injection: injections.map((result) => result.context_injection).join('\n\n'),
      append_to_last_tool_result: injections.some((result) => result.append_to_last_tool_result),
    };
  }
  return { ...continueWith(data), ...said };
}

const LEVELS: readonly HookResult['user_message_level'][] = ['info', 'warning', 'error'];

/** All messages to the user as one, with the highest level. Empty without messages. */
function messages(results: readonly HookResult[]): Partial<HookResult> {
  const speaking = results.filter((result) => Boolean(result.user_message));
  if (speaking.length === 0) return {};
  const gravest = Math.max(...speaking.map((result) => LEVELS.indexOf(result.user_message_level)));
  const sources = [...new Set(speaking.flatMap((result) => result.user_message_source ?? []))];
  return {
    user_message: speaking.map((result) => result.user_message).join('\n'),
    user_message_level: LEVELS[gravest] ?? 'info',
    user_message_source: sources.join(', ') || null,
  };
}
