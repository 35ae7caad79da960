import { isPlainObject, type JsonObject, type Message, shorten, textOf } from '@amplifier/core';
import { OFFLINE_RESULT_CHARACTERS, OFFLINE_RESULT_LINES } from '../../defaults.js';
import type { Plan } from './plan-steps.js';

/** Ends every answer of the offline provider. */
const NOTICE =
  'The offline provider wrote this: no language model is at work, only fixed rules. Run `amplifier init` to get real answers.';

/** What the tools really returned, and nothing else, as Markdown for a person. */
export function report(since: readonly Message[], { impossible }: Plan): string {
  const inputs = new Map(
    since.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => [call.id, call.arguments] as const)),
  );
  const parts = since
    .filter(({ role }) => role === 'tool')
    .map(({ name = 'tool', tool_call_id = '', content }) =>
      finding(name, inputs.get(tool_call_id) ?? {}, textOf(content)),
    );
  if (impossible.length > 0) parts.push(`No tool here can do this:\n${impossible.join('\n')}`);
  if (parts.length === 0)
    parts.push('The instruction asks for nothing these rules know, so nothing was done.');
  return [...parts, NOTICE].join('\n\n');
}

function finding(tool: string, input: JsonObject, text: string): string {
  const did = whatItDid(tool, input);
  const result = objectIn(text);
  if (Array.isArray(result?.files)) return `${did}: ${listed(result.files.map(String))}`;
  if (typeof result?.response === 'string')
    return `${did}:\n\n${quoted(result.response.replace(NOTICE, '').trim() || 'no answer')}`;
  const said = typeof result?.stdout === 'string' ? `${result.stdout}${result.stderr || ''}` : text;
  return said.trim() === '' ? `${did}: nothing` : `${did}:\n\n${fenced(said)}`;
}

/** A call in words: what it did, and what with. */
function whatItDid(tool: string, input: JsonObject): string {
  const said = (...names: string[]) => String(names.map((name) => input[name]).find((value) => value) ?? '');
  if (/^read/.test(tool)) return `Read \`${said('file_path', 'path')}\``;
  if (/^(glob|list)/.test(tool)) return `Looked for \`${said('pattern', 'path')}\``;
  if (/^(grep|search)/.test(tool)) return `Searched for \`${said('pattern', 'query')}\``;
  if (/^write/.test(tool)) return `Wrote \`${said('file_path', 'path')}\``;
  if (/^(bash|shell)$/.test(tool)) return `Ran \`${said('command')}\``;
  if (/^(delegate|task)$/.test(tool))
    return `**${said('agent', 'agent_name') || tool}** was asked to ${said('instruction', 'task', 'prompt')}`;
  return `Used ${tool}`;
}

function listed(files: readonly string[]): string {
  if (files.length === 0) return 'no match';
  const shown = files.slice(0, OFFLINE_RESULT_LINES).map((file) => `- ${file}`);
  const more = files.length - shown.length;
  const counted = files.length === 1 ? '1 file' : `${files.length} files`;
  return [counted, '', ...shown, ...(more > 0 ? [`- … and ${more} more`] : [])].join('\n');
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

/** A text as it stands, without the numbers that a tool puts before its lines. */
function fenced(text: string): string {
  const lines = text.trimEnd().replaceAll(/^ *\d+\t/gm, '');
  const cut = shorten(lines, OFFLINE_RESULT_CHARACTERS, '');
  const left = lines.length - cut.length;
  const fence = '`'.repeat(Math.max(3, ...[...cut.matchAll(/`{3,}/g)].map(([{ length }]) => length + 1)));
  return `${fence}\n${cut}\n${fence}${left > 0 ? `\n[… ${left} more characters …]` : ''}`;
}

function objectIn(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : null;
  } catch {
    return null; // Most tools speak plain text.
  }
}
