import { CancellationToken } from '@amplifier/core';
import type { LimitKind } from '../request/outcome.js';

/** Why a turn is asked to stop. The first reason given is the one that counts. */
export type StopReason =
  | { kind: 'cancel'; by: string }
  | { kind: 'limit'; limit: LimitKind; message: string }
  | { kind: 'stall'; message: string }
  | { kind: 'question'; question: string };

/** A cancellation token that remembers why. */
export class StopSwitch {
  readonly token = new CancellationToken();
  #reason: StopReason | null = null;
  readonly #unlink: (() => void) | undefined;

  /** A request to stop whoever is above stops this turn, too. */
  constructor(above?: CancellationToken) {
    this.#unlink = above?.registerChild(this.token);
  }

  /** The turn is over: nothing above needs to remember it. */
  release(): void {
    this.#unlink?.();
  }

  /** Null while nobody has asked. A token that was set from above means: cancelled by the parent. */
  get reason(): StopReason | null {
    if (this.#reason) return this.#reason;
    return this.token.isCancelled ? { kind: 'cancel', by: 'parent' } : null;
  }

  stop(reason: StopReason, level: 'graceful' | 'immediate'): void {
    this.#reason ??= this.token.isCancelled ? { kind: 'cancel', by: 'parent' } : reason;
    this.token.request(level);
  }
}
