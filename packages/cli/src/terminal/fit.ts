import { shownText } from '@amplifier/host';

/** One line of text, cut to a width, with a sign that something is missing. */
export function fit(text: string, width: number): string {
  const line = shownText(text.replace(/\s+/g, ' ').trim());
  const characters = [...line];
  if (characters.length <= width) return line;
  return `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
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
      while (rest.length > width) {
        const space = rest.lastIndexOf(' ', width);
        const at = space > 0 ? space : width;
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
    Math.max(0, ...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) => {
    const cells = row.map((cell, column) =>
      column === columns - 1 ? cell : cell.padEnd(widths[column] ?? 0),
    );
    return fitKeepingSpaces(cells.join('  ').trimEnd(), width);
  });
}

function fitKeepingSpaces(line: string, width: number): string {
  return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1))}…`;
}
