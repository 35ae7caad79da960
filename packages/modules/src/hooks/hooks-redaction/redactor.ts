import { isPlainObject, isSecretName, type JsonObject, REDACTED, redactText, setOwn } from '@amplifier/core';
import type { RE2JS } from 're2js';

export interface RedactionRules {
  patterns: readonly string[];
  allow: readonly string[];
}

/**
 * A function that copies an event without its secrets: by the name of a member, and by shape in any text. Patterns take linear time,
 * because a model may have written the text and anybody's repository the pattern.
 */
export async function redactor({
  patterns,
  allow,
}: RedactionRules): Promise<(data: JsonObject) => JsonObject> {
  const shapes = await compiled(patterns);
  const allowed = new Set(allow);
  const inText = (text: string) =>
    shapes.reduce((left, shape) => shape.matcher(left).replaceAll(REDACTED), redactText(text));

  function inObject(value: JsonObject): JsonObject {
    const copy: JsonObject = {};
    for (const [key, member] of Object.entries(value)) {
      const secret = typeof member === 'string' && member !== '' && isSecretName(key) && !allowed.has(key);
      setOwn(copy, key, secret ? REDACTED : inValue(member));
    }
    return copy;
  }

  function inValue(value: unknown): unknown {
    if (typeof value === 'string') return inText(value);
    if (Array.isArray(value)) return value.map(inValue);
    return isPlainObject(value) ? inObject(value) : value;
  }

  return inObject;
}

async function compiled(patterns: readonly string[]): Promise<RE2JS[]> {
  if (patterns.length === 0) return [];
  const { RE2JS } = await import('re2js');
  return patterns.map((pattern) => {
    try {
      return RE2JS.compile(pattern);
    } catch (cause) {
      throw new Error(
        `hooks-redaction cannot use the pattern '${pattern}': ${(cause as Error).message}. Look-around and back-references are not known.`,
        { cause },
      );
    }
  });
}
