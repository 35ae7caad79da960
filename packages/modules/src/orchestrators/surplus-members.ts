import { isPlainObject, type JsonObject } from '@amplifier/core';

/**
 * The members of an input that its schema forbids, by path. A schema forbids them with `additionalProperties: false`, as those of
 * our own tools do; any other schema allows them, as JSON Schema defines. References and alternatives are not followed.
 */
export function surplusMembers(schema: unknown, input: unknown, path = ''): string[] {
  if (!isPlainObject(schema)) return [];
  if (Array.isArray(input))
    return input.flatMap((item, at) => surplusMembers(schema.items, item, `${path}[${at}]`));
  if (!isPlainObject(input)) return [];
  const properties: JsonObject = isPlainObject(schema.properties) ? schema.properties : {};
  const isClosed = schema.additionalProperties === false && schema.patternProperties === undefined;
  return Object.keys(input).flatMap((name) => {
    const member = path === '' ? name : `${path}.${name}`;
    if (Object.hasOwn(properties, name)) return surplusMembers(properties[name], input[name], member);
    return isClosed ? [member] : [];
  });
}
