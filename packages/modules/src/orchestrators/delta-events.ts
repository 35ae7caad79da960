import { EVENTS, type HookRegistry, type PayloadOf, type StreamDelta } from '@amplifier/core';
import type { Turn } from './turn.js';

type BlockType = 'text' | 'thinking' | 'tool_call';

/**
 * Receives the pieces of a streamed answer: keeps in the turn what was shown, and emits an event for each piece, in order and
 * without holding up the stream. Asynchronous handlers are waited for at the end, not in between.
 */
export class DeltaEvents {
  readonly #turn: Turn;
  readonly #hooks: HookRegistry;
  /** The last event whose handlers are not done; the next one waits for it. */
  #pending: Promise<unknown> | null = null;
  #open: { index: number; block_type: BlockType; thinking: string } | null = null;

  constructor(turn: Turn) {
    this.#turn = turn;
    this.#hooks = turn.runtime.hooks;
  }

  push(delta: StreamDelta): void {
    this.#turn.shown = true;
    if (delta.type === 'text') this.#turn.partial += delta.text;
    const { index } = delta;
    if (this.#open?.index !== index) this.#begin(delta);
    if (delta.type === 'thinking' && this.#open) {
      this.#open.thinking += delta.text;
      this.#emit(EVENTS.THINKING_DELTA, { index, text: delta.text });
    }
    this.#emit(EVENTS.CONTENT_BLOCK_DELTA, { delta });
  }

  /** Resolves when all handlers are done with all events. */
  async finish(): Promise<void> {
    this.#close();
    while (this.#pending) await this.#pending;
  }

  #begin({ index, type }: StreamDelta): void {
    this.#close();
    const block_type = type === 'text' || type === 'thinking' ? type : 'tool_call';
    this.#open = { index, block_type, thinking: '' };
    this.#emit(EVENTS.CONTENT_BLOCK_START, { index, block_type });
  }

  #close(): void {
    const block = this.#open;
    if (!block) return;
    this.#open = null;
    const { index, block_type, thinking } = block;
    if (block_type === 'thinking') this.#emit(EVENTS.THINKING_FINAL, { index, text: thinking });
    this.#emit(EVENTS.CONTENT_BLOCK_END, { index, block_type });
  }

  #emit<Name extends string>(event: Name, data: PayloadOf<Name>): void {
    const told = this.#pending
      ? this.#pending.then(() => this.#hooks.emit(event, data))
      : this.#hooks.emit(event, data);
    if (!(told instanceof Promise)) return;
    const pending = told.finally(() => {
      if (this.#pending === pending) this.#pending = null;
    });
    this.#pending = pending;
  }
}
