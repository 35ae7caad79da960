import type { Clock } from '@amplifier/host';
import { shortLine } from '@amplifier/host';
import type { ServerContext } from '@modelcontextprotocol/server';
import { HEARTBEAT_MS, PROGRESS_CHARACTERS, PROGRESS_GAP_MS } from '../defaults.js';

/** Counts what was told; it must rise over all rounds of one call. */
export interface Ticks {
  ticks: number;
}

/** Tells a waiting client that its call is alive, at every change and at least every few seconds. Silent unless it asked to be told. */
export class Progress {
  #context: ServerContext;
  #clock: Clock;
  #ticks: Ticks;
  #message: string;
  #last = Number.NEGATIVE_INFINITY;
  #cancel: () => void = () => {};
  #onError: (error: unknown) => void;

  constructor(
    context: ServerContext,
    options: { clock: Clock; ticks: Ticks; message: string; onError: (error: unknown) => void },
  ) {
    this.#context = context;
    this.#clock = options.clock;
    this.#ticks = options.ticks;
    this.#message = options.message;
    this.#onError = options.onError;
    if (this.#token !== undefined) this.#beat();
  }

  say(message: string): void {
    this.#message = message;
    if (this.#token === undefined) return;
    const gap = PROGRESS_GAP_MS - (this.#clock.now() - this.#last);
    this.#cancel();
    if (gap <= 0) this.#beat();
    // What comes too soon after the last word is told when the gap is over, and the newest of it alone.
    else this.#cancel = this.#clock.after(gap, () => this.#beat());
  }

  stop(): void {
    this.#cancel();
  }

  get #token(): string | number | undefined {
    return this.#context.mcpReq._meta?.progressToken;
  }

  #beat(): void {
    this.#send();
    this.#cancel = this.#clock.after(HEARTBEAT_MS, () => this.#beat());
  }

  #send(): void {
    this.#last = this.#clock.now();
    this.#ticks.ticks += 1;
    const params = {
      progressToken: this.#token as string | number,
      progress: this.#ticks.ticks,
      message: shortLine(this.#message, PROGRESS_CHARACTERS),
    };
    this.#context.mcpReq.notify({ method: 'notifications/progress', params }).catch(this.#onError);
  }
}
