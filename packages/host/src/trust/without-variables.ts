import { isPlainObject } from '@amplifier/core';

const REFERENCE = /\$?\$\{([A-Za-z_][A-Za-z0-9_]*)(:[^}]*)?\}/g;

/**
 * A copy in which `${NAME}` stands for itself unless the user allows the name: the environment belongs to the user, and what a
 * project writes must not carry it anywhere. `$${NAME}` is how a config writes the text `${NAME}`.
 */
export function withoutVariables<Value>(value: Value, allowed: ReadonlySet<string>): Value {
  return copy(value) as Value;

  function copy(member: unknown): unknown {
    if (typeof member === 'string')
      return member.replace(REFERENCE, (reference, name: string) =>
        reference.startsWith('$$') || allowed.has(name) ? reference : `$${reference}`,
      );
    if (Array.isArray(member)) return member.map(copy);
    if (!isPlainObject(member)) return member;
    return Object.fromEntries(Object.entries(member).map(([key, inner]) => [key, copy(inner)]));
  }
}
