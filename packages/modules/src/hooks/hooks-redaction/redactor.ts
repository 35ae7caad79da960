import {
  isPlainObject,
  isSecretName,
  type JsonObject,
  loadPatterns,
  REDACTED,
  redactText,
  setOwn,
} from '@amplifier/core';

export interface RedactionRules {
  patterns: readonly string[];
  allow: readonly string[];
}

/** A function that copies an event without its secrets: by the name of a member, and by shape in any text. */
export async function redactor({
  patterns,
  allow,
}: RedactionRules): Promise<(data: JsonObject) => JsonObject> {
  const compile = patterns.length === 0 ? null : await loadPatterns();
  const shapes = compile ? patterns.map((pattern) => compile(pattern)) : [];
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
