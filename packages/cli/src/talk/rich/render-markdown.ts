import { shownText } from '@amplifier/host';
import { Markdown } from '@earendil-works/pi-tui';
import { makeTheme } from './theme.js';

/** A whole text as the lines of a terminal. */
export function renderMarkdown(text: string, width: number, hasColors: boolean): string[] {
  const { markdown } = makeTheme(hasColors);
  return new Markdown(shownText(text.trim()), 0, 0, markdown).render(width).map((line) => line.trimEnd());
}
