import { type ContentBlock, textOf } from '@amplifier/core';

/** What a session has said so far, for an ending that comes too early. */
export class SpokenText {
  #last = '';
  #streaming = '';

  /** The answer, or what there is of it. */
  get text(): string {
    return this.#streaming === '' ? this.#last : this.#streaming;
  }

  listen(event: string, data: Readonly<Record<string, unknown>>): void {
    if (event === 'provider:request') this.#streaming = '';
    if (event === 'content_block:delta') this.#streaming += deltaText(data.delta);
    if (event === 'provider:response') {
      const said = textOf((data.response as { content?: ContentBlock[] } | undefined)?.content ?? []);
      if (said !== '') this.#last = said;
      this.#streaming = '';
    }
  }

  final(answer: string): void {
    this.#last = answer;
    this.#streaming = '';
  }
}

function deltaText(delta: unknown): string {
  const { type, text } = (delta ?? {}) as { type?: string; text?: string };
  return type === 'text' ? (text ?? '') : '';
}
