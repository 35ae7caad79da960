import { errorInfo, shortLine } from '@amplifier/host';
import { HEARTBEAT_MS, PROGRESS_CHARACTERS, PROGRESS_GAP_MS } from '../defaults.js';
import type { Call } from './call.js';

/** Counts what was sent; it must rise over all rounds of one call. */
interface Ticks {
  ticks: number;
}

/** Tells a waiting client that its call is alive, at every change and at least every few seconds. Silent unless it asked to be told. */
export class Progress {
  readonly #call: Call;
  readonly #ticks: Ticks;
  #message: string;
  #last = Number.NEGATIVE_INFINITY;
  #cancel: () => void = () => {};

  constructor(call: Call, message: string, ticks: Ticks = { ticks: 0 }) {
    this.#call = call;
    this.#message = message;
    this.#ticks = ticks;
    if (this.#token !== undefined) this.#beat();
  }

  say(message: string): void {
    this.#message = message;
    if (this.#token === undefined) return;
    const gap = PROGRESS_GAP_MS - (this.#call.service.clock.now() - this.#last);
    this.#cancel();
    if (gap <= 0) this.#beat();
    // What comes too soon after the last word is told when the gap is over, and the newest of it alone.
    else this.#cancel = this.#call.service.clock.after(gap, () => this.#beat());
  }

  stop(): void {
    this.#cancel();
  }

  get #token(): string | number | undefined {
    return this.#call.context.mcpReq._meta?.progressToken;
  }

  #beat(): void {
    this.#send();
    this.#cancel = this.#call.service.clock.after(HEARTBEAT_MS, () => this.#beat());
  }

  #send(): void {
    this.#last = this.#call.service.clock.now();
    this.#ticks.ticks += 1;
    const params = {
      progressToken: this.#token as string | number,
      progress: this.#ticks.ticks,
      message: shortLine(this.#message, PROGRESS_CHARACTERS),
    };
    this.#call.context.mcpReq.notify({ method: 'notifications/progress', params }).catch((error) =>
      this.#call.service.report({
        level: 'warning',
        code: 'PROGRESS_LOST',
        message: errorInfo(error).message,
        error,
      }),
    );
  }
}
