import { isPlainObject } from '../data/json.js';
import { shortLine } from './shorten.js';

const DELEGATING = new Set(['delegate', 'task']);
const TELLING = ['file_path', 'path', 'command', 'pattern', 'query', 'url', 'agent', 'skill', 'title'];
const MOST = 200;

/** `read_file README.md`: a tool call in one line of at most `most` characters. */
export function describeToolCall(tool: unknown, input: unknown, most = MOST): string {
  const about = toolSubject(tool, input, most);
  const mark = ownTitle(input) === null ? ' ' : ': ';
  return shortLine(`${String(tool)}${about === '' ? '' : mark + about}`, most);
}

/** The part of the input that tells a call from others of the same tool; empty if there is none. */
export function toolSubject(tool: unknown, input: unknown, most = MOST): string {
  return shortLine(subjectOf(String(tool), isPlainObject(input) ? input : {}), most);
}

function subjectOf(tool: string, input: Record<string, unknown>): string {
  const title = ownTitle(input);
  if (title !== null) return title;
  if (DELEGATING.has(tool)) {
    const task = input.instruction ?? input.prompt;
    const agent = typeof input.agent === 'string' ? input.agent : 'agent';
    if (typeof task === 'string') return `${agent}: ${task}`;
  }
  const told = TELLING.map((name) => input[name]).find((value) => typeof value === 'string');
  const first = told ?? Object.values(input).find((value) => typeof value === 'string');
  return typeof first === 'string' ? first : '';
}

/** External agents describe their calls themselves. */
function ownTitle(input: unknown): string | null {
  if (!isPlainObject(input)) return null;
  const { title, kind } = input;
  return typeof title === 'string' && title !== '' && typeof kind === 'string' ? title : null;
}
