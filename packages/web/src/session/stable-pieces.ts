/**
 * A text that still grows, in pieces. All but the last will look the same whatever comes, for they end with a blank line outside
 * a block of code, but not in lists and tables, which a blank line need not end. Only the last is made anew with each delta.
 */
export class StablePieces {
  readonly #pieces: string[] = [];
  #text = '';
  /** Where the last piece begins, and the line that is looked at next. */
  #stable = 0;
  #at = 0;
  #fenced = false;
  #blankBefore = false;

  of(text: string): string[] {
    if (!text.startsWith(this.#text)) return new StablePieces().of(text);
    this.#text = text;
    for (let end = text.indexOf('\n', this.#at); end >= 0; end = text.indexOf('\n', this.#at)) {
      this.#line(text.slice(this.#at, end));
      this.#at = end + 1;
    }
    return [...this.#pieces, text.slice(this.#stable)];
  }

  #line(line: string): void {
    if (/^\s*(```|~~~)/.test(line)) this.#fenced = !this.#fenced;
    else if (!this.#fenced && this.#blankBefore && /^[^\s|>*+\-\d]/.test(line)) {
      this.#pieces.push(this.#text.slice(this.#stable, this.#at));
      this.#stable = this.#at;
    }
    this.#blankBefore = !this.#fenced && line.trim() === '';
  }
}
