import { isPlainObject, type JsonObject, setOwn } from '@amplifier/core';

const REFERENCE = /\$?\$\{([A-Za-z_][A-Za-z0-9_]*)(?::([^}]*))?\}/g;

/**
 * Puts values in the place of `${NAME}` and `${NAME:default}`; `$${NAME}` stands for the text `${NAME}` itself. To be called for one module just before it is mounted and
 * nowhere else: what is stored or shown keeps the reference. A name without value and default becomes empty text and is
 * told to `onMissing`.
 */
export function expandVariables<Config extends JsonObject>(
  config: Config,
  variables: Readonly<Record<string, string | undefined>>,
  onMissing: (name: string) => void = () => {},
): Config {
  return expand(config) as Config;

  function expand(value: unknown): unknown {
    if (typeof value === 'string') return value.replace(REFERENCE, replacement);
    if (Array.isArray(value)) return value.map(expand);
    if (!isPlainObject(value)) return value;
    const expanded: JsonObject = {};
    for (const [key, member] of Object.entries(value)) setOwn(expanded, key, expand(member));
    return expanded;
  }

  function replacement(reference: string, name: string, fallback: string | undefined): string {
    if (reference.startsWith('$$')) return reference.slice(1);
    const found = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (found !== undefined && found !== '') return found;
    if (fallback === undefined) onMissing(name);
    return fallback ?? '';
  }
}

/** Text for a config that `expandVariables` leaves as it is: a shell reads its variables itself. */
export function literalVariables(text: string): string {
  return text.replace(REFERENCE, (reference) => `$${reference}`);
}
