import { visibleWidth } from '@earendil-works/pi-tui';

type Output = Pick<NodeJS.WriteStream, 'write' | 'columns' | 'rows'>;

/** Terminals that know it show all between these two at once; others take no notice. */
const BEGIN_FRAME = '\x1b[?2026h';
const END_FRAME = '\x1b[?2026l';
const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';

/**
 * The lines at the bottom of a terminal that change, below lines that never do. What is committed scrolls away like any output and is
 * not touched again, so nothing is ever drawn anew but these few lines. Lines must not be wider than the terminal.
 */
export class BottomRegion {
  readonly #output: Output;
  #drawn: string[] = [];

  constructor(output: Output) {
    this.#output = output;
    output.write(HIDE_CURSOR);
  }

  get width(): number {
    return this.#output.columns || 80;
  }

  get rows(): number {
    return this.#output.rows || 24;
  }

  /** Shows these lines instead of those before, and `committed` above them for good. */
  draw(lines: readonly string[], committed: readonly string[] = []): void {
    const shown = lines.slice(-Math.max(1, this.rows - 1));
    const same = committed.length === 0 ? this.#sameUntil(shown) : 0;
    if (committed.length === 0 && same === shown.length && same === this.#drawn.length) return;
    const up = this.#rowsBelow(same);
    const written = [...committed, ...shown.slice(same)].map((line) => `${line}\x1b[0m\x1b[K\r\n`).join('');
    this.#output.write(`${BEGIN_FRAME}${up > 0 ? `\x1b[${up}A` : ''}\r${written}\x1b[J${END_FRAME}`);
    this.#drawn = [...shown];
  }

  /** Takes the region away and gives the cursor back. */
  close(): void {
    const up = this.#rowsBelow(0);
    this.#output.write(`${up > 0 ? `\x1b[${up}A` : ''}\r\x1b[J${SHOW_CURSOR}`);
    this.#drawn = [];
  }

  #sameUntil(lines: readonly string[]): number {
    const differs = lines.findIndex((line, index) => line !== this.#drawn[index]);
    return differs === -1 ? lines.length : differs;
  }

  /** Rows that the drawn lines from `index` on take: a terminal that has become narrower has wrapped them. */
  #rowsBelow(index: number): number {
    return this.#drawn
      .slice(index)
      .reduce((sum, line) => sum + Math.max(1, Math.ceil(visibleWidth(line) / this.width)), 0);
  }
}
