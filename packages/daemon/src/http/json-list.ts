import { PAGE_BYTES } from '../defaults.js';

/** A list of a bounded size, as JSON: the page of every listing whose items are not bounded to a small size. */
export class JsonList {
  readonly #limit: number;
  readonly #bytes: number;
  readonly #texts: string[] = [];
  #size = 0;

  constructor(limit: number, bytes = PAGE_BYTES) {
    this.#limit = limit;
    this.#bytes = bytes;
  }

  /** False where the item would make it too large: then it is not added. The first always is. */
  add(item: object): boolean {
    const text = JSON.stringify(item);
    const size = this.#size + Buffer.byteLength(text);
    if (this.isFull || (this.#texts.length > 0 && size > this.#bytes)) return false;
    this.#texts.push(text);
    this.#size = size;
    return true;
  }

  get isFull(): boolean {
    return this.#texts.length >= this.#limit;
  }

  get json(): string {
    return `[${this.#texts.join(',')}]`;
  }
}
