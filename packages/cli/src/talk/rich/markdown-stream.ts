import { Markdown, type MarkdownTheme } from '@earendil-works/pi-tui';

/** A fence of a code block. */
const FENCE = /^ {0,3}(```|~~~)/;
/** What continues with a list, a quote or a table after an empty line. */
const GOES_ON = /^(\s|[-*+>|]\s|\d+[.)]\s)/;

/**
 * Markdown that grows. Whole blocks are rendered once and handed out for good; only the last one is rendered again as it grows, and
 * what of it no longer fits the screen is handed out as it stands.
 */
export class MarkdownStream {
  readonly #theme: MarkdownTheme;
  #tail = '';
  /** Lines of the tail that were handed out already. */
  #handedOut = 0;
  #isFirst = true;

  constructor(theme: MarkdownTheme) {
    this.#theme = theme;
  }

  push(text: string): void {
    this.#tail += text;
  }

  /** Ends what was said so far, because something else comes after it, and gives it as lines once the width is known. */
  cut(): (width: number) => string[] {
    const [text, handedOut, isFirst] = [this.#tail, this.#handedOut, this.#isFirst];
    this.#tail = '';
    this.#handedOut = 0;
    this.#isFirst = false;
    return (width) => this.#render(text, width, isFirst).slice(handedOut);
  }

  /** Something else was shown: what comes next stands apart from it. */
  separate(): void {
    this.#isFirst = false;
  }

  /** What has become final, and what still may change: at most `room` lines. */
  take(width: number, room: number): { final: string[]; live: string[] } {
    const final: string[] = [];
    const at = lastBoundary(this.#tail);
    if (at > 0) {
      final.push(...this.#finish(this.#tail.slice(0, at), width));
      this.#tail = this.#tail.slice(at);
    }
    const lines = this.#render(this.#tail, width).slice(this.#handedOut);
    const over = Math.max(0, lines.length - Math.max(1, room));
    final.push(...lines.slice(0, over));
    this.#handedOut += over;
    return { final, live: lines.slice(over) };
  }

  /** All that is left. */
  end(width: number): string[] {
    const lines = this.#finish(this.#tail, width);
    this.#tail = '';
    return lines;
  }

  #finish(text: string, width: number): string[] {
    const lines = this.#render(text, width).slice(this.#handedOut);
    this.#handedOut = 0;
    if (lines.length > 0) this.#isFirst = false;
    return lines;
  }

  #render(text: string, width: number, isFirst = this.#isFirst): string[] {
    if (text.trim() === '') return [];
    const lines = new Markdown(text.trim(), 0, 0, this.#theme).render(width).map((line) => line.trimEnd());
    return isFirst ? lines : ['', ...lines];
  }
}

/** Where the last block of a text begins; 0 while there is one only. An empty line inside a code block or a list is no end of it. */
function lastBoundary(text: string): number {
  let fenced = false;
  let boundary = 0;
  let isAfterEmpty = false;
  let at = 0;
  for (const line of text.split(/(?<=\n)/)) {
    const isWhole = line.endsWith('\n');
    if (!fenced && isAfterEmpty && line.trim() !== '' && isWhole && !GOES_ON.test(line)) boundary = at;
    if (FENCE.test(line)) fenced = !fenced;
    isAfterEmpty = line.trim() === '';
    at += line.length;
  }
  return boundary;
}
