import { type JsonObject, parseBoundedJson } from '@amplifier/core';
import { z } from 'zod';

const FENCED = /```(?:json)?\s*\n([\s\S]*?)\n```/;

export type AnswerReading = { data: unknown } | { fault: string };

/** Reads an answer as data that fits the schema: the whole text, or the first fenced block in it. */
export function readStructuredAnswer(text: string, schema: JsonObject): AnswerReading {
  const json = parseJson(text.trim()) ?? parseJson(FENCED.exec(text)?.[1] ?? '');
  if (!json) return { fault: 'It is not JSON.' };
  const parsed = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(json.value);
  return parsed.success ? { data: parsed.data } : { fault: z.prettifyError(parsed.error) };
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
