import { EDIT_MAX_BYTES } from '../defaults.js';
import { ToolError } from '../tool-error.js';

export interface TextEdit {
  old_string: string;
  new_string: string;
  replace_all: boolean;
}

export interface EditedText {
  text: string;
  replacements: number;
  /** Where the first replacement is, counted from one. */
  line: number;
}

const SHOWN_LINES = 20;
/** Lines of the file times lines of the edit: the search for a near miss may compare each with each. */
const MAX_COMPARISONS = 2_000_000;
const COPY_EXACTLY = ' Read the file and copy the text exactly, without line numbers.';

/**
 * Replaces exactly what was named. Text that is not there, or is there more than once, is refused: a guess would change
 * the wrong place. In a file with CRLF line ends, LF in the edit stands for CRLF.
 */
export function replaceText(file: string, text: string, edit: TextEdit): EditedText {
  const { old_string, new_string } = inLineEndsOf(text, edit);
  if (old_string === '')
    throw new ToolError(
      'INVALID_INPUT',
      `old_string is empty. Name the text to replace in ${file}, or write the file with write_file.`,
    );
  if (old_string === new_string)
    throw new ToolError('NO_CHANGE', `old_string and new_string are the same; ${file} was left as it is.`);
  const places = placesOf(old_string, text);
  const [first] = places;
  if (first === undefined)
    throw new ToolError('NO_MATCH', `old_string is not in ${file}.${nearMiss(text, old_string)}`);
  if (places.length > 1 && !edit.replace_all) throw ambiguous(file, text, places);
  const size = text.length + places.length * (new_string.length - old_string.length);
  if (size > text.length && size > EDIT_MAX_BYTES)
    throw new ToolError(
      'INVALID_INPUT',
      `${file} would have ${size} characters; edits make files of up to ${EDIT_MAX_BYTES}. Use a command.`,
    );
  return {
    text: splice(text, places, old_string.length, new_string),
    replacements: places.length,
    line: lineAt(text, first),
  };
}

function inLineEndsOf(
  text: string,
  { old_string, new_string }: TextEdit,
): { old_string: string; new_string: string } {
  const hasCrlf = text.includes('\r\n') && !/[^\r]\n/.test(text);
  if (!hasCrlf || old_string.includes('\r')) return { old_string, new_string };
  const crlf = (part: string) => part.replace(/\r?\n/g, '\r\n');
  return { old_string: crlf(old_string), new_string: crlf(new_string) };
}

function placesOf(wanted: string, text: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
    places.push(at);
  return places;
}

function splice(text: string, places: readonly number[], length: number, replacement: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const at of places) {
    parts.push(text.slice(from, at), replacement);
    from = at + length;
  }
  return parts.join('') + text.slice(from);
}

function ambiguous(file: string, text: string, places: readonly number[]): ToolError {
  const lines = places.slice(0, SHOWN_LINES).map((at) => lineAt(text, at));
  const more = places.length > SHOWN_LINES ? ', …' : '';
  return new ToolError(
    'AMBIGUOUS_MATCH',
    `old_string is in ${file} ${places.length} times, on lines ${lines.join(', ')}${more}. Add text around it until it is there once, or set replace_all.`,
  );
}

/** The commonest mistake is whitespace: say where the text would be if that did not count. */
function nearMiss(text: string, wanted: string): string {
  const bare = (line: string) => line.replace(/\s+/g, ' ').trim();
  const wantedSplit = wanted.split('\n');
  const split = text.split('\n');
  if (split.length * wantedSplit.length > MAX_COMPARISONS) return COPY_EXACTLY;
  const wantedLines = wantedSplit.map(bare);
  const lines = split.map(bare);
  const at = lines.findIndex((_, start) =>
    wantedLines.every((line, offset) => lines[start + offset] === line),
  );
  return at === -1 || wantedLines.every((line) => line === '')
    ? COPY_EXACTLY
    : ` Line ${at + 1} begins the same text with other whitespace: copy it exactly.`;
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
