import { isPlainObject, type JsonObject } from '../data/json.js';
import { moreCharacters, shorten } from './shorten.js';

/** What a person sees before they answer, by the tool. Plain data: each entry point shows it in its own way. */
export type ApprovalPreview = PreviewDrawing & PreviewMembers;

export type PreviewDrawing =
  | {
      kind: 'change';
      file: string;
      is_new: boolean;
      added: number;
      removed: number;
      lines: PreviewLine[];
      left_out: number;
    }
  | { kind: 'command'; command: string; cwd: string; sandbox: string }
  | { kind: 'address'; url: string; host: string }
  | { kind: 'delegation'; agent: string; model: string; instruction: string }
  | { kind: 'input' };

export interface PreviewLine {
  sign: '+' | '-' | ' ' | '@';
  /** Its number in the file, after the change for what is added, before it for what is removed; 0 between two places. */
  number: number;
  text: string;
}

interface PreviewMembers {
  /** The members of the input that the drawing does not show; for `input`, all of them. Text as it is, anything else as JSON. */
  members: { name: string; text: string }[];
  /** Members that were left out. */
  members_left_out: number;
}

const MAX_MEMBERS = 50;
const MAX_TEXT = 4_000;
/** Lines of one text or change. */
const MAX_LINES = 60;
const MAX_LINE = 2_000;

/** The members of an input, but for those that a drawing shows. */
export function previewMembers(input: JsonObject, drawn: readonly string[] = []): PreviewMembers {
  const names = Object.keys(input).filter((name) => !drawn.includes(name));
  return {
    members: names
      .slice(0, MAX_MEMBERS)
      .map((name) => ({ name, text: shorten(wordsOf(input[name]), MAX_TEXT, moreCharacters) })),
    members_left_out: Math.max(0, names.length - MAX_MEMBERS),
  };
}

function wordsOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** How the parts of a preview are set off from each other. */
export type Paint = Record<'bold' | 'dim' | 'green' | 'red', (text: string) => string>;

const same = (text: string) => text;
const PLAIN: Paint = { bold: same, dim: same, green: same, red: same };

/** The call that a question is about, in lines: its preview, or all of its input. Must be made fit for a terminal before it is shown there. */
export function previewLines(subject: JsonObject | null | undefined, paint: Paint = PLAIN): string[] {
  if (!subject || typeof subject.tool_name !== 'string') return [];
  if (isPlainObject(subject.preview))
    return linesOf(subject.preview as unknown as ApprovalPreview, paint).map((line) => `  ${line}`);
  const input = isPlainObject(subject.tool_input) ? subject.tool_input : {};
  return memberLines(previewMembers(input), paint).map((line) => `  ${line}`);
}

function linesOf(preview: ApprovalPreview, paint: Paint): string[] {
  return [...drawingLines(preview, paint), ...memberLines(preview, paint)];
}

function drawingLines(preview: PreviewDrawing, paint: Paint): string[] {
  switch (preview.kind) {
    case 'change':
      return changeLines(preview, paint);
    case 'command':
      return [
        ...textLines(preview.command).map((line, at) => `${at === 0 ? '$' : ' '} ${line}`),
        paint.dim(`in ${preview.cwd}`),
        paint.dim(preview.sandbox),
      ];
    case 'address':
      return [shorten(preview.url, MAX_TEXT, moreCharacters), paint.dim(`at ${preview.host || 'no host'}`)];
    case 'delegation': {
      const [first = '', ...more] = textLines(preview.instruction);
      return [
        `agent   ${paint.bold(preview.agent)}`,
        `model   ${preview.model}`,
        `task    ${first}`,
        ...more.map((line) => `        ${line}`),
      ];
    }
    case 'input':
      return [];
  }
}

function memberLines({ members, members_left_out }: PreviewMembers, paint: Paint): string[] {
  return [
    ...members.flatMap(({ name, text }) => {
      const [first = '', ...more] = textLines(text);
      return [`${paint.bold(shorten(name, 100))}: ${first}`, ...more.map((line) => `  ${line}`)];
    }),
    ...(members_left_out > 0 ? [paint.dim(`… ${counted(members_left_out, 'more member')}`)] : []),
  ];
}

/** Never an endless one: what is cut off is counted. */
function textLines(text: string): string[] {
  const lines = text.split('\n');
  const more = lines.length - MAX_LINES;
  return [
    ...lines.slice(0, MAX_LINES).map((line) => shorten(line, MAX_LINE, moreCharacters)),
    ...(more > 0 ? [`… ${counted(more, 'more line')}`] : []),
  ];
}

function changeLines(
  { file, is_new, added, removed, lines, left_out }: Extract<PreviewDrawing, { kind: 'change' }>,
  paint: Paint,
): string[] {
  const counts = `${paint.green(`+${added}`)} ${paint.red(`-${removed}`)}`;
  const width = String(Math.max(0, ...lines.map(({ number }) => number))).length;
  const more = left_out + Math.max(0, lines.length - MAX_LINES);
  return [
    `${paint.bold(file)}${is_new ? ' (new)' : ''}  ${counts}`,
    ...lines.slice(0, MAX_LINES).map((line) => changeLine(line, width, paint)),
    ...(more > 0 ? [paint.dim(`… ${counted(more, 'more line')}`)] : []),
    ...(lines.length === 0 ? [paint.dim('Nothing would change.')] : []),
  ];
}

function changeLine({ sign, number, text }: PreviewLine, width: number, paint: Paint): string {
  if (sign === '@') return paint.dim('⋮'.padStart(width));
  const line = `${String(number).padStart(width)} ${sign} ${text.replaceAll('\t', '  ')}`;
  if (sign === '+') return paint.green(line);
  return sign === '-' ? paint.red(line) : paint.dim(line);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
