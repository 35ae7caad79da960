import { FoundationError } from '../errors.js';

export interface SplitText {
  /** The YAML between the fences, or null when the text opens with none. */
  frontmatter: string | null;
  /** The line of the file on which the YAML begins. */
  first_line: number;
  body: string;
}

const FENCE = /^---[ \t]*$/;

/**
 * Parts a Markdown text from the YAML before it. Fences stand alone on a line, the first one on the first line of the
 * file; a byte order mark and CRLF line ends are tolerated.
 */
export function splitFrontmatter(text: string, file: string): SplitText {
  const clean = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const lines = clean.split(/\r?\n/);
  if (!FENCE.test(lines[0] ?? '')) return { frontmatter: null, first_line: 1, body: clean };
  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
  if (end === -1) {
    throw new FoundationError(
      'The frontmatter that opens here is never closed. Add a line with only --- after it.',
      { code: 'FRONTMATTER_NOT_CLOSED', place: { file, line: 1 } },
    );
  }
  return {
    frontmatter: lines.slice(1, end).join('\n'),
    first_line: 2,
    body: lines.slice(end + 1).join('\n'),
  };
}
