import { EVENTS, type HookRegistry, type StreamDelta } from '@amplifier/core';

type BlockType = 'text' | 'thinking' | 'tool_call';

/**
 * Turns the pieces of a streamed answer into events, in order and without holding up the stream: handlers that take
 * their time are waited for at the end, not in between.
 */
export class DeltaEvents {
  #hooks: HookRegistry;
  #queue: StreamDelta[] = [];
  #draining: Promise<void> | null = null;
  #open: { index: number; block_type: BlockType; thinking: string } | null = null;

  constructor(hooks: HookRegistry) {
    this.#hooks = hooks;
  }

  push(delta: StreamDelta): void {
    this.#queue.push(delta);
    this.#draining ??= this.#drain();
  }

  /** Resolves when everybody has heard everything. */
  async finish(): Promise<void> {
    await this.#draining;
    await this.#close();
  }

  async #drain(): Promise<void> {
    for (let at = 0; at < this.#queue.length; at++) await this.#tell(this.#queue[at] as StreamDelta);
    this.#queue.length = 0;
    this.#draining = null;
  }

  async #tell(delta: StreamDelta): Promise<void> {
    if (this.#open?.index !== delta.index) await this.#begin(delta);
    if (delta.type === 'thinking' && this.#open) {
      this.#open.thinking += delta.text;
      await this.#hooks.emit(EVENTS.THINKING_DELTA, { index: delta.index, text: delta.text });
    }
    if (this.#hooks.hasListeners(EVENTS.CONTENT_BLOCK_DELTA)) {
      await this.#hooks.emit(EVENTS.CONTENT_BLOCK_DELTA, { delta });
    }
  }

  async #begin(delta: StreamDelta): Promise<void> {
    await this.#close();
    const { index } = delta;
    const block_type = delta.type === 'text' || delta.type === 'thinking' ? delta.type : 'tool_call';
    this.#open = { index, block_type, thinking: '' };
    await this.#hooks.emit(EVENTS.CONTENT_BLOCK_START, { index, block_type });
  }

  async #close(): Promise<void> {
    const block = this.#open;
    if (!block) return;
    this.#open = null;
    const { index, block_type, thinking } = block;
    if (block_type === 'thinking') await this.#hooks.emit(EVENTS.THINKING_FINAL, { index, text: thinking });
    await this.#hooks.emit(EVENTS.CONTENT_BLOCK_END, { index, block_type });
  }
}
