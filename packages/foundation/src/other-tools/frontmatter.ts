import type { Diagnostic, JsonObject } from '@amplifier/core';
import type { ParsedAgent } from '../agents/parse-agent.js';
import type { YamlMapping } from '../documents/parse-yaml.js';
import { readTextFile } from '../documents/read-text-file.js';
import { splitFrontmatter } from '../documents/split-frontmatter.js';
import { FoundationError, formatPlace } from '../errors.js';
import { readLooseHead } from './loose-head.js';

/** The head and the text of a Markdown file of another tool's. */
export interface MarkdownFile {
  head: YamlMapping;
  body: string;
}

export function readMarkdown(text: string, file: string): MarkdownFile {
  const { frontmatter, first_line, body } = splitFrontmatter(text, file);
  return { head: readLooseHead({ text: frontmatter ?? '', file, first_line }), body: body.trim() };
}

/** More than anybody has tools, agents or skills. */
const MAX_NAMES = 1_000;
const MAX_NAME_LENGTH = 2_000;

/** Names as these tools write them: a list, or text with commas. A comma in brackets belongs to the name. Throws for too many. */
export function namesOf(value: unknown): string[] {
  const items = typeof value === 'string' ? splitAtCommas(value) : Array.isArray(value) ? value : [];
  if (items.length > MAX_NAMES || items.some((item) => String(item).length > MAX_NAME_LENGTH))
    throw new FoundationError(
      `A list of an agent has ${items.length} names; ${MAX_NAMES} of ${MAX_NAME_LENGTH} characters are read at most.`,
      { code: 'INVALID_AGENT' },
    );
  return items.flatMap((item) => (typeof item === 'string' && item.trim() !== '' ? [item.trim()] : []));
}

/** From the end, so that each comma knows which bracket comes next. */
function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let end = text.length;
  let bracket = '';
  for (let at = end - 1; at >= 0; at--) {
    const character = text[at] ?? '';
    if (character === '(' || character === ')') bracket = character;
    if (character !== ',' || bracket === ')') continue;
    parts.push(text.slice(at + 1, end));
    end = at;
  }
  return [...parts, text.slice(0, end)].reverse();
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** Something a file says in vain, by the member that says it. */
export interface Note {
  path: string;
  message: string;
}

/** An agent of ours that says what the other tool's file says. */
export function asAgent(
  { head, body }: MarkdownFile,
  name: string,
  declared: JsonObject,
  notes: readonly Note[],
): ParsedAgent {
  const warnings = notes.map(
    ({ path, message }): Diagnostic => ({
      level: 'warning',
      code: 'NOT_CARRIED_OVER',
      message: `${formatPlace(head.placeOf([path]))}: ${message}`,
    }),
  );
  return {
    agent: {
      name,
      description: textOf(head.data.description),
      instruction: body === '' ? null : body,
      frontmatter: declared,
    },
    place: head.placeOf(['name']),
    warnings,
  };
}

/** A Markdown file that may say something of itself at its top. */
export async function readMarkdownFile(file: string): Promise<{ data: JsonObject; body: string }> {
  const { head, body } = readMarkdown(await readTextFile(file), file);
  return { data: head.data, body };
}
