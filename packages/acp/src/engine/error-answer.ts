import { isPlainObject } from '@amplifier/core';

/** Some agents end a turn well and say their provider's error message as the answer. Returns that message. */
export function errorInAnswer(text: string, patterns: readonly string[]): string | null {
  const trimmed = text.trim();
  // A message of an error is short. No pattern is run over a million characters that a model chose.
  const beginning = trimmed.slice(0, 500);
  if (patterns.some((pattern) => new RegExp(pattern).test(beginning))) return beginning;
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
