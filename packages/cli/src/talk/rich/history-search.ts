import { matchesKey, truncateToWidth } from '@earendil-works/pi-tui';
import { screenText } from '../../terminal/screen.js';
import type { Theme } from './theme.js';

/** Looks for what was said before, the newest first, as the words to look for are typed. */
export class HistorySearch {
  readonly #entries: readonly string[];
  #query = '';
  #skip = 0;

  /** `history` is oldest first. */
  constructor(history: readonly string[]) {
    this.#entries = [...new Set([...history].reverse())];
  }

  /** `taken` is what was chosen, if anything; `open` while it goes on. */
  press(key: string): { open: true } | { open: false; taken?: string } {
    if (matchesKey(key, 'escape') || matchesKey(key, 'ctrl+c')) return { open: false };
    if (matchesKey(key, 'enter') || matchesKey(key, 'tab')) {
      const taken = this.#found;
      return taken === undefined ? { open: false } : { open: false, taken };
    }
    if (matchesKey(key, 'ctrl+r')) this.#skip++;
    else if (matchesKey(key, 'backspace')) this.#look(this.#query.slice(0, -1));
    else if (key >= ' ') this.#look(this.#query + key);
    return { open: true };
  }

  lines(width: number, { dim }: Theme): string[] {
    const found = this.#found?.replace(/\s+/g, ' ') ?? '(no match)';
    return [
      truncateToWidth(dim('Ctrl-R next older · Enter accepts · Esc cancels'), width, '…'),
      truncateToWidth(`history "${this.#query}": ${screenText(found)}`, width, '…'),
    ];
  }

  get #found(): string | undefined {
    const wanted = this.#query.toLowerCase();
    const all = this.#entries.filter((entry) => entry.toLowerCase().includes(wanted));
    return all[this.#skip % Math.max(1, all.length)];
  }

  #look(query: string): void {
    this.#query = query;
    this.#skip = 0;
  }
}
