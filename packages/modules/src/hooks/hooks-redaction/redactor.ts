import { isPlainObject, isSecretName, type JsonObject, REDACTED, redactText, setOwn } from '@amplifier/core';

export interface RedactionRules {
  patterns: readonly string[];
  allow: readonly string[];
}

/** A function that copies an event without its secrets: by the name of a member, and by shape in any text. */
export function redactor({ patterns, allow }: RedactionRules): (data: JsonObject) => JsonObject {
  const shapes = patterns.map((pattern) => new RegExp(pattern, 'g'));
  const allowed = new Set(allow);
  const inText = (text: string) =>
    shapes.reduce((left, shape) => left.replace(shape, REDACTED), redactText(text));

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
