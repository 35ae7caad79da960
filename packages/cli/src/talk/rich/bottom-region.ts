import { visibleWidth } from '@earendil-works/pi-tui';

type Output = Pick<NodeJS.WriteStream, 'write' | 'columns' | 'rows'>;

/** Terminals that know it show all between these two at once; others take no notice. */
const BEGIN_FRAME = '\x1b[?2026h';
const END_FRAME = '\x1b[?2026l';
const HIDE_CURSOR = '\x1b[?25l';
const ERASE_BELOW = '\x1b[J';
const SHOW_CURSOR = '\x1b[?25h';

/**
 * The lines at the bottom of a terminal that change, below lines that never do. What is committed scrolls away like any output and is
 * not touched again, so nothing is ever drawn anew but these few lines. Lines must not be wider than the terminal.
 */
export class BottomRegion {
  readonly #output: Output;
  #drawn: string[] = [];
  #drawnWidth: number;

  constructor(output: Output) {
    this.#output = output;
    this.#drawnWidth = this.width;
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
    const { width } = this;
    // Spaces at the end would be broken like words when the window gets narrower.
    const shown = lines.slice(-Math.max(1, this.rows - 1)).map((line) => line.replace(/ +$/, ''));
    const isResized = width !== this.#drawnWidth;
    const same = committed.length === 0 && !isResized ? this.#sameUntil(shown) : 0;
    if (committed.length === 0 && same === shown.length && same === this.#drawn.length) return;
    const up = this.#rowsBelow(same);
    // A terminal that was resized has broken these lines anew, and remembers that unless they are erased first.
    const erased = isResized ? '\x1b[2K' : '';
    const written = [...committed, ...shown.slice(same)]
      .map((line) => `${erased}${this.#ended(line)}`)
      .join('');
    this.#output.write(`${BEGIN_FRAME}${up > 0 ? `\x1b[${up}A` : ''}\r${written}${ERASE_BELOW}${END_FRAME}`);
    this.#drawn = shown;
    this.#drawnWidth = width;
  }

  /** Takes the region away and gives the cursor back. */
  close(): void {
    const up = this.#rowsBelow(0);
    this.#output.write(`${up > 0 ? `\x1b[${up}A` : ''}\r${ERASE_BELOW}${SHOW_CURSOR}`);
    this.#drawn = [];
  }

  /** The rest of a line is erased, but not after a full one: there the cursor still stands on its last character. */
  #ended(line: string): string {
    return `${line}\x1b[0m${visibleWidth(line) < this.width ? '\x1b[K' : ''}\r\n`;
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
