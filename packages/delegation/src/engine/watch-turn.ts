import {
  type Clock,
  type ContentBlock,
  EVENTS,
  type EventObserver,
  type HookRegistry,
  isPlainObject,
  type StreamDelta,
  textOf,
} from '@amplifier/core';
import type { LaunchRecord } from '../plan/launch-record.js';
import type { Fallback } from '../request/outcome.js';
import { isWatched, type Turn } from '../turn/turn.js';
import { KEPT, type TurnJournal } from './turn-journal.js';

type EventData = Readonly<Record<string, unknown>>;

/** Events that the engine uses, and those that the journal keeps. */
const USED = new Set<string>([
  ...KEPT.keys(),
  EVENTS.PROVIDER_REQUEST,
  EVENTS.PROVIDER_RESPONSE,
  EVENTS.PROVIDER_FALLBACK,
  EVENTS.CONTENT_BLOCK_DELTA,
  EVENTS.THINKING_DELTA,
  EVENTS.ORCHESTRATOR_COMPLETE,
]);

/** Observes the events of a turn's session: keeps what they say about the turn, passes them on, and stops a turn that takes too long. */
export class TurnWatch {
  /** How the loop ended, and why, as it reported it. */
  loop_status: string | null = null;
  loop_reason: string | null = null;
  /** Models that the loop passed over for the next. */
  readonly fallbacks: Fallback[] = [];
  readonly #turn: Turn;
  readonly #journal: TurnJournal;
  readonly #clock: Clock;
  /** The last answer, and the text of the one that is being streamed. */
  #answer = '';
  #streaming = '';
  #watchdog: Watchdog | null = null;
  #cleanups: (() => void)[] = [];

  constructor(turn: Turn, journal: TurnJournal, clock: Clock) {
    this.#turn = turn;
    this.#journal = journal;
    this.#clock = clock;
  }

  /** The answer, or its beginning when the turn was stopped. */
  get text(): string {
    return this.#streaming === '' ? this.#answer : this.#streaming;
  }

  finalAnswer(text: string): void {
    this.#answer = text;
    this.#streaming = '';
  }

  /** A sign of life. */
  touch(): void {
    this.#watchdog?.touch();
  }

  start(hooks: HookRegistry): void {
    const { launch, observe, cancellation } = this.#turn;
    const { timeout, stall } = launch.limits;
    let lineage: ReturnType<typeof lineageOf> | undefined;
    const onEvent: EventObserver = (name, data) => {
      this.touch();
      if (data.session_id === launch.session_id) this.#listen(name, data);
      if (!observe || !isWatched(this.#turn)) return;
      lineage ??= lineageOf(launch);
      observe(name, data.lineage ? data : { ...data, lineage });
    };
    // Every event is a sign of life. Without observers only the events that the engine uses are built.
    const isWanted = (name: string) => {
      this.#watchdog?.touch();
      return USED.has(name) || isWatched(this.#turn);
    };
    this.#cleanups.push(hooks.observe(onEvent, isWanted));
    if (timeout !== null) {
      const message = `The agent was not done after ${timeout} s. Raise 'timeout', or resume the session to let it continue.`;
      const stop = () => cancellation.stop({ kind: 'limit', limit: 'time', message }, 'immediate');
      this.#cleanups.push(this.#clock.after(timeout * 1000, stop));
    }
    if (stall !== null) {
      const message = `No progress for ${stall} s while no tool ran. Resume the session to try again.`;
      const stop = () => cancellation.stop({ kind: 'stall', message }, 'immediate');
      this.#watchdog = new Watchdog(this.#clock, stall, stop);
    }
  }

  /** No longer waits for signs of life; events are observed until `close`. */
  endWatchdog(): void {
    this.#watchdog?.stop();
  }

  close(): void {
    for (const cleanup of this.#cleanups.reverse()) cleanup();
  }

  /** An event of this session. The text of an answer is shared with others while the model writes it. */
  #listen(name: string, data: EventData): void {
    this.#journal.watch(name, data);
    const { log } = this.#turn;
    switch (name) {
      case EVENTS.PROVIDER_REQUEST:
        this.#streaming = '';
        break;
      case EVENTS.CONTENT_BLOCK_DELTA: {
        const delta = data.delta as StreamDelta;
        if (delta.type !== 'text') break;
        this.#streaming += delta.text;
        log.say('text', delta.text);
        break;
      }
      case EVENTS.THINKING_DELTA:
        log.say('reasoning', String(data.text));
        break;
      case EVENTS.PROVIDER_RESPONSE: {
        const said = textOf((data.response as { content?: ContentBlock[] } | undefined)?.content ?? []);
        if (said !== '') this.#answer = said;
        this.#streaming = '';
        break;
      }
      // The model begins its answer anew, or gives it up.
      case EVENTS.PROVIDER_ERROR:
      case EVENTS.PROVIDER_RETRY:
        log.unsay();
        break;
      case EVENTS.PROVIDER_FALLBACK: {
        const { from, to, error } = data as unknown as Fallback;
        this.fallbacks.push({ from, to, error });
        break;
      }
      case EVENTS.TOOL_PRE:
        this.#watchdog?.toolStarted(String(data.tool_call_id));
        break;
      case EVENTS.TOOL_POST:
      case EVENTS.TOOL_ERROR:
        this.#watchdog?.toolEnded(String(data.tool_call_id));
        break;
      case EVENTS.ORCHESTRATOR_COMPLETE: {
        const { status, metadata } = data;
        this.loop_status = String(status);
        this.loop_reason = isPlainObject(metadata) ? String(metadata.reason ?? '') : null;
        break;
      }
    }
  }
}

/** The place of a session in its tree, as its events report it to observers above. */
function lineageOf(launch: LaunchRecord) {
  const { session_id, parent_id, root_id, depth, tool_call_id, parallel_group_id } = launch;
  return { session_id, parent_id, root_id, depth, agent: launch.agent.name, tool_call_id, parallel_group_id };
}

/** Notices that nothing moves. Time during which a tool runs does not count: a build may take an hour. */
export class Watchdog {
  #clock: Clock;
  #ms: number;
  #onStall: () => void;
  #runningTools = new Set<string>();
  #cancel: () => void = () => {};
  #lastSign: number;
  #stopped = false;

  constructor(clock: Clock, seconds: number, onStall: () => void) {
    this.#clock = clock;
    this.#ms = seconds * 1000;
    this.#onStall = onStall;
    this.#lastSign = clock.now();
    this.#arm(this.#ms);
  }

  /** A sign of life. Cheap: the timer is not touched. */
  touch(): void {
    this.#lastSign = this.#clock.now();
  }

  toolStarted(id: string): void {
    this.#runningTools.add(id);
    this.touch();
  }

  toolEnded(id: string): void {
    this.#runningTools.delete(id);
    this.touch();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #arm(ms: number): void {
    this.#cancel = this.#clock.after(ms, () => this.#check());
  }

  #check(): void {
    if (this.#stopped) return;
    const quiet = this.#runningTools.size > 0 ? 0 : this.#clock.now() - this.#lastSign;
    if (quiet >= this.#ms) this.#onStall();
    else this.#arm(this.#ms - Math.max(0, quiet));
  }
}
