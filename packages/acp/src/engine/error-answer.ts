import { isPlainObject, loadPatterns, type PatternCompiler } from '@amplifier/core';
import { AcpError } from '../acp-error.js';
import type { AgentDescriptor } from '../roster/descriptor.js';

export type ErrorAnswers = readonly ReturnType<PatternCompiler>[];

/** The agent's `error_answers`, compiled. Throws `ROSTER_INVALID` for one that cannot be used. */
export async function errorAnswersOf({
  id,
  error_answers,
}: Pick<AgentDescriptor, 'id' | 'error_answers'>): Promise<ErrorAnswers> {
  if (error_answers.length === 0) return [];
  const compile = await loadPatterns();
  try {
    return error_answers.map((pattern) => compile(pattern));
  } catch (cause) {
    const message = `'error_answers' of the agent '${id}' is invalid: ${(cause as Error).message}. Change it where the agent is configured.`;
    throw new AcpError(message, { code: 'ROSTER_INVALID', origin: id, cause });
  }
}

/** Some agents end a turn well and say their provider's error message as the answer. Returns that message. */
export function errorInAnswer(text: string, patterns: ErrorAnswers): string | null {
  const trimmed = text.trim();
  // A message of an error is short. No pattern is run over a million characters that a model chose.
  const beginning = trimmed.slice(0, 500);
  if (patterns.some((pattern) => pattern.test(beginning))) return beginning;
  const at = trimmed.indexOf('{');
  if (at === -1 || !trimmed.endsWith('}')) return null;
  // Agents put a few words before it, such as a status line or a warning of their own.
  if (trimmed.slice(0, at).split(/\s+/).length > 40) return null;
  const body = parse(trimmed.slice(at));
  if (!isPlainObject(body)) return null;
  const { error, type } = body;
  if (isPlainObject(error) && typeof error.message === 'string') return error.message;
  if (type === 'error' && typeof body.message === 'string') return body.message;
  return null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
