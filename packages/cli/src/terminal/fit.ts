import { shownText } from '@amplifier/host';

const PLAIN = /^[\x20-\x7e]*$/;
/** Emoji, and what is written in Chinese, Japanese and Korean. */
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303e\uff01-\uff60]/u;

/** How many columns a text takes in a terminal. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const each of characters(text)) width += WIDE.test(each) ? 2 : 1;
  return width;
}

/** One line of text, cut to a width, with a sign that something is missing. */
export function fit(text: string, width: number): string {
  return cut(shownText(text.replace(/\s+/g, ' ').trim()), width);
}

function cut(line: string, width: number): string {
  return widthOf(line) <= width ? line : `${begin(line, width - 1)}…`;
}

/** As much of the beginning of a text as fits. */
function begin(text: string, width: number): string {
  let kept = '';
  let room = width;
  for (const each of characters(text)) {
    room -= widthOf(each);
    if (room < 0) break;
    kept += each;
  }
  return kept;
}

let segmenter: Intl.Segmenter | undefined;

/** As people see them: an emoji of several signs is one. */
function characters(text: string): string[] {
  segmenter ??= new Intl.Segmenter('en');
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** `1 file`, `2 files`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** Text in lines no wider than `width`, broken at spaces where there are any. */
export function wrap(text: string, width: number): string[] {
  return shownText(text)
    .split('\n')
    .flatMap((line) => {
      const lines: string[] = [];
      let rest = line;
      while (widthOf(rest) > width) {
        const fitting = PLAIN.test(rest) ? width : Math.max(1, begin(rest, width).length);
        const space = rest.lastIndexOf(' ', fitting);
        const at = space > 0 ? space : fitting;
        lines.push(rest.slice(0, at));
        rest = rest.slice(space > 0 ? at + 1 : at);
      }
      return [...lines, rest];
    });
}

/** Rows in columns; the last one takes what is left of the width. */
export function table(cells: readonly (readonly string[])[], width: number): string[] {
  const rows = cells.map((row) => row.map(shownText));
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(0, ...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  return rows.map((row) => {
    const cells = row.map((cell, column) =>
      column === columns - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)),
    );
    return cut(cells.join('  ').trimEnd(), width);
  });
}
