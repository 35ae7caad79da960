import { boundsFault, compileSchema, errorInfo, type JsonObject, parseBoundedJson } from '@amplifier/core';
import { DelegationError } from '../request/delegation-error.js';

export type AnswerReading = { data: unknown } | { fault: string };

/** Reads an answer as data that fits the schema: the whole text, or the first fenced block in it. */
export async function readStructuredAnswer(text: string, schema: JsonObject): Promise<AnswerReading> {
  const json = parseJson(text.trim()) ?? parseJson(fencedBlock(text));
  if (!json) return { fault: 'It is not JSON.' };
  const fault = (await compileSchema(schema))(json.value);
  return fault === null ? { data: json.value } : { fault };
}

/** Throws `INVALID_REQUEST` when no answer could be checked against it. For before anybody is asked. */
export async function checkSchema(schema: JsonObject): Promise<void> {
  const why =
    boundsFault(schema) ?? (await compileSchema(schema).then(() => null, errorInfo))?.message ?? null;
  if (why === null) return;
  throw new DelegationError(`The output_schema is not supported: ${why}. Use a simpler one.`, {
    code: 'INVALID_REQUEST',
  });
}

/** What stands between the first fence and the next; empty where there is none. */
function fencedBlock(text: string): string {
  const fence = text.indexOf('```');
  const start = fence === -1 ? -1 : text.indexOf('\n', fence);
  const end = start === -1 ? -1 : text.indexOf('\n```', start);
  const kind = text.slice(fence + 3, start).trim();
  return end === -1 || (kind !== '' && kind !== 'json') ? '' : text.slice(start + 1, end);
}

/** What the child is told when its answer does not fit. It gets one more try. */
export function repairPrompt(fault: string, schema: JsonObject): string {
  return [
    'Your answer does not fit the form that was asked for:',
    fault,
    '',
    'Answer again with JSON alone, no other text, that fits this JSON Schema:',
    JSON.stringify(schema),
  ].join('\n');
}

/** What is added to the instruction when the answer must have a form. */
export function formPrompt(schema: JsonObject): string {
  return `Answer with JSON alone, no other text, that fits this JSON Schema:\n${JSON.stringify(schema)}`;
}

function parseJson(text: string): { value: unknown } | null {
  if (text === '') return null;
  try {
    return { value: parseBoundedJson(text, 'The answer') };
  } catch {
    return null;
  }
}
