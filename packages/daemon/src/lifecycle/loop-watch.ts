import type { Logger } from 'pino';
import { LOOP_DELAY_MS, LOOP_TICK_MS, LOOP_TOLD_MS } from '../defaults.js';

/** Notices when the process did nothing but one thing for too long, and says what was under way then. */
export class LoopWatch {
  #timer: NodeJS.Timeout;
  #due = performance.now() + LOOP_TICK_MS;
  #before: readonly string[] = [];
  #last: { at: number; words: string; what: string } | null = null;

  constructor(logger: Logger, underWay: () => readonly string[]) {
    this.#timer = setInterval(() => {
      const now = performance.now();
      const delay_ms = Math.round(now - this.#due);
      this.#due = now + LOOP_TICK_MS;
      const after = underWay();
      // What held everything up may have begun since the last look, or be over by now.
      const under_way = [...new Set([...this.#before, ...after])];
      this.#before = after;
      if (delay_ms < LOOP_DELAY_MS) return;
      logger.warn({ delay_ms, under_way }, 'the event loop was blocked');
      const what = under_way.length === 0 ? '' : ` Under way: ${under_way.join(', ')}.`;
      this.#last = { at: now, words: `The process was blocked for ${delay_ms} ms.`, what };
    }, LOOP_TICK_MS).unref();
  }

  /** What was noticed in the last minute; what was under way, and whose it was, is for the operator alone. */
  news(isOperator: boolean): string | null {
    if (!this.#last || performance.now() - this.#last.at >= LOOP_TOLD_MS) return null;
    return isOperator ? this.#last.words + this.#last.what : this.#last.words;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
