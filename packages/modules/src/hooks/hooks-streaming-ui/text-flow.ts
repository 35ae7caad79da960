import type { Clock } from '@amplifier/core';

export type FlowKind = 'text' | 'thinking';

/** Gathers deltas into pieces a screen can follow. Order is kept: a change of kind lets go of what was gathered. */
export class TextFlow {
  #clock: Clock;
  #holdMs: number;
  #show: (kind: FlowKind, text: string) => void;
  #kind: FlowKind = 'text';
  #held: string[] = [];
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, holdMs: number, show: (kind: FlowKind, text: string) => void) {
    this.#clock = clock;
    this.#holdMs = holdMs;
    this.#show = show;
  }

  add(kind: FlowKind, text: string): void {
    if (kind !== this.#kind) this.flush();
    this.#kind = kind;
    this.#held.push(text);
    if (this.#holdMs === 0) this.flush();
    else this.#cancel ??= this.#clock.after(this.#holdMs, () => this.flush());
  }

  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#held.length > 0) this.#show(this.#kind, this.#held.splice(0).join(''));
  }
}
