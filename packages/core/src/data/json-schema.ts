import type { RE2JS } from 're2js';
import { loadPatterns, MAX_PATTERN_SIZE } from '../text/pattern.js';
import { isPlainObject, type JsonObject } from './json.js';

/** Says what is wrong with a value, with its place; null when it fits. */
export type CheckValue = (value: unknown) => string | null;

/** Comparisons for one answer: far more than an honest schema needs, a fraction of a second in all. */
const MAX_STEPS = 200_000;
/** Fewer than elsewhere: a value may have a million characters. */
const MAX_PATTERN_CHARACTERS = 1_000;
/** Different patterns of a schema. Their programs together are bounded by `MAX_PATTERN_SIZE`. */
const MAX_PATTERNS = 250;
/** Characters that are matched with a pattern for one step. A pattern with large counts takes a microsecond for each. */
const CHARACTERS_PER_STEP = 10;

/** What would be ignored without a word, and must not be. */
const UNSUPPORTED = [
  '$dynamicRef',
  '$recursiveRef',
  'dependencies',
  'dependentSchemas',
  'unevaluatedItems',
  'unevaluatedProperties',
];

/** Compiles a JSON Schema; see `schemaCompiler`. */
export async function compileSchema(schema: JsonObject): Promise<CheckValue> {
  return (await schemaCompiler())(schema);
}

/**
 * Loads the compiler for JSON Schemas. It throws when a schema cannot be used, with the reason. A check takes bounded time for every
 * schema and value, because a model or a server may have written both: patterns do not backtrack, and comparisons are counted.
 * All schemas of one compiler share a budget for their patterns; each different pattern counts once.
 */
export async function schemaCompiler(): Promise<(schema: JsonObject) => CheckValue> {
  const compilePattern = await loadPatterns();
  const patterns = new Map<string, RE2JS>();
  const budget = { left: MAX_PATTERN_SIZE };
  return (schema) =>
    compiled(schema, (text, place) => {
      const known = patterns.get(text);
      if (known) return known;
      if (text.length > MAX_PATTERN_CHARACTERS)
        throw new Error(`${place} is longer than ${MAX_PATTERN_CHARACTERS} characters`);
      if (patterns.size >= MAX_PATTERNS)
        throw new Error(`${place}: more than ${MAX_PATTERNS} different patterns are not allowed`);
      try {
        const compiled = compilePattern(text, { budget });
        patterns.set(text, compiled);
        return compiled;
      } catch (cause) {
        throw new Error(`${place}: ${(cause as Error).message}`, { cause });
      }
    });
}

function compiled(schema: JsonObject, compilePattern: (text: string, place: string) => RE2JS): CheckValue {
  const references = new Map<unknown, unknown>();
  verify(schema, '');
  return (value) => {
    const walk = { steps: 0 };
    try {
      return check(schema, value, '', walk);
    } catch (error) {
      // A schema that refers to itself without end overflows the stack first.
      if (error instanceof TooMuch || error instanceof RangeError) return new TooMuch().message;
      throw error;
    }
  };

  /** Patterns compile, references lead somewhere, nothing is asked for that would not be checked. */
  function verify(node: unknown, place: string): void {
    if (typeof node === 'boolean') return;
    if (!isPlainObject(node)) throw new Error(`${place || 'the schema'} is neither an object nor a boolean`);
    for (const keyword of UNSUPPORTED)
      if (Object.hasOwn(node, keyword)) throw new Error(`'${keyword}' at ${place || '/'} is not supported`);
    if (node.type !== undefined && [node.type].flat().some((type) => !TYPES.has(String(type))))
      throw new Error(`${place}/type is not a type of JSON: ${JSON.stringify(node.type)}`);
    if (node.$ref !== undefined) resolve(node.$ref);
    if (node.pattern !== undefined) compilePattern(String(node.pattern), `${place}/pattern`);
    for (const pattern of Object.keys(objectOf(node.patternProperties)))
      compilePattern(pattern, `${place}/patternProperties`);
    for (const key of ['properties', 'patternProperties', '$defs', 'definitions'])
      for (const [name, below] of Object.entries(objectOf(node[key])))
        verify(below, `${place}/${key}/${name}`);
    for (const key of [
      'items',
      'additionalProperties',
      'contains',
      'not',
      'if',
      'then',
      'else',
      'propertyNames',
    ])
      if (node[key] !== undefined && !Array.isArray(node[key])) verify(node[key], `${place}/${key}`);
    for (const key of ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items']) {
      if (key !== 'items' && node[key] !== undefined && !Array.isArray(node[key]))
        throw new Error(`${place}/${key} is not a list`);
      for (const [index, below] of listOf(node[key]).entries()) verify(below, `${place}/${key}/${index}`);
    }
  }

  function resolve(reference: unknown): unknown {
    if (references.has(reference)) return references.get(reference);
    const path = String(reference);
    if (path !== '#' && !path.startsWith('#/'))
      throw new Error(`$ref '${path}' does not lead into the schema itself`);
    const found = path
      .split('/')
      .slice(1)
      .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((node, part) => own(node, part), schema);
    if (found === undefined) throw new Error(`$ref '${path}' leads nowhere`);
    references.set(reference, found);
    return found;
  }

  function check(node: unknown, value: unknown, place: string, walk: { steps: number }): string | null {
    if (++walk.steps > MAX_STEPS) throw new TooMuch();
    if (node === true) return null;
    if (!isPlainObject(node)) return fault(place, 'nothing is allowed here');
    const below = (schema: unknown, part: unknown, name: string | number) =>
      check(schema, part, `${place}/${name}`, walk);
    const fits = (schema: unknown) => check(schema, value, place, walk) === null;
    if (node.$ref !== undefined) {
      const wrong = check(resolve(node.$ref), value, place, walk);
      if (wrong) return wrong;
    }
    if (node.type !== undefined && ![node.type].flat().some((type) => isOfType(value, String(type))))
      return fault(place, `${[node.type].flat().join(' or ')} was expected`);
    if (Object.hasOwn(node, 'const') && !isSame(node.const, value, walk))
      return fault(place, `${JSON.stringify(node.const)} was expected`);
    if (Array.isArray(node.enum) && !node.enum.some((each) => isSame(each, value, walk)))
      return fault(place, `one of ${JSON.stringify(node.enum).slice(0, 200)} was expected`);
    for (const [index, schema] of listOf(node.allOf).entries()) {
      const wrong = check(schema, value, place, walk);
      if (wrong) return `${wrong} (allOf ${index})`;
    }
    if (node.anyOf !== undefined && !listOf(node.anyOf).some(fits))
      return fault(place, 'it fits none of anyOf');
    if (node.oneOf !== undefined && listOf(node.oneOf).filter(fits).length !== 1)
      return fault(place, 'it does not fit exactly one of oneOf');
    if (node.not !== undefined && fits(node.not)) return fault(place, 'it is what it must not be');
    if (node.if !== undefined) {
      const wrong = check((fits(node.if) ? node.then : node.else) ?? true, value, place, walk);
      if (wrong) return wrong;
    }
    if (typeof value === 'number') return checkNumber(node, value, place);
    if (typeof value === 'string') return checkText(node, value, place, walk);
    if (Array.isArray(value)) return checkList(node, value);
    return isPlainObject(value) ? checkObject(node, value) : null;

    function checkList(node: JsonObject, list: readonly unknown[]): string | null {
      if (isOver(list.length, node.maxItems))
        return fault(place, `at most ${node.maxItems} items are allowed`);
      if (isUnder(list.length, node.minItems))
        return fault(place, `at least ${node.minItems} items are needed`);
      const first = Array.isArray(node.items) ? node.items : listOf(node.prefixItems);
      const rest = Array.isArray(node.items) ? (node.additionalItems ?? true) : (node.items ?? true);
      for (const [index, item] of list.entries()) {
        const wrong = below(first[index] ?? rest, item, index);
        if (wrong) return wrong;
      }
      if (node.uniqueItems === true) {
        const seen = new Set<string>();
        for (const item of list) {
          const text = canonical(item, walk);
          if (seen.has(text)) return fault(place, 'an item is there twice');
          seen.add(text);
        }
      }
      if (
        node.contains === undefined ||
        list.some((item, index) => below(node.contains, item, index) === null)
      )
        return null;
      return fault(place, 'an item is missing that it must contain');
    }

    function checkObject(node: JsonObject, object: JsonObject): string | null {
      for (const name of listOf(node.required))
        if (!Object.hasOwn(object, String(name))) return fault(place, `'${name}' is missing`);
      const names = Object.keys(object);
      if (isOver(names.length, node.maxProperties)) return fault(place, 'it has too many members');
      if (isUnder(names.length, node.minProperties)) return fault(place, 'it has too few members');
      const properties = objectOf(node.properties);
      const shaped = Object.entries(objectOf(node.patternProperties));
      for (const name of names) {
        const schemas = Object.hasOwn(properties, name) ? [properties[name]] : [];
        for (const [pattern, schema] of shaped) {
          if (isMatch(pattern, name, place, walk)) schemas.push(schema);
        }
        if (schemas.length === 0 && node.additionalProperties !== undefined)
          schemas.push(node.additionalProperties);
        if (node.propertyNames !== undefined && below(node.propertyNames, name, name) !== null)
          return fault(place, `'${name}' is not a name it may have`);
        for (const schema of schemas) {
          const wrong = below(schema, object[name], name);
          if (wrong) return wrong;
        }
      }
      return null;
    }
  }

  function isMatch(pattern: unknown, text: string, place: string, walk: { steps: number }): boolean {
    walk.steps += 1 + Math.ceil(text.length / CHARACTERS_PER_STEP);
    if (walk.steps > MAX_STEPS) throw new TooMuch();
    return compilePattern(String(pattern), place).test(text);
  }

  function checkText(node: JsonObject, text: string, place: string, walk: { steps: number }): string | null {
    if (isOver(text.length, node.maxLength))
      return fault(place, `at most ${node.maxLength} characters are allowed`);
    if (isUnder(text.length, node.minLength))
      return fault(place, `at least ${node.minLength} characters are needed`);
    if (node.pattern === undefined || isMatch(node.pattern, text, place, walk)) return null;
    return fault(place, `it does not match ${node.pattern}`);
  }
}

class TooMuch extends Error {
  constructor() {
    super('It takes too many steps to compare it with the schema. Ask for a simpler form.');
  }
}

const TYPES = new Set(['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']);

function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isPlainObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function checkNumber(node: JsonObject, value: number, place: string): string | null {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node;
  const isWrong =
    isOver(value, maximum) ||
    isUnder(value, minimum) ||
    (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) ||
    (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) ||
    (typeof multipleOf === 'number' && multipleOf > 0 && !isWhole(value / multipleOf));
  return isWrong ? fault(place, `${value} is out of range`) : null;
}

function isWhole(ratio: number): boolean {
  return Math.abs(ratio - Math.round(ratio)) < 1e-9;
}

function isOver(value: number, most: unknown): boolean {
  return typeof most === 'number' && value > most;
}

function isUnder(value: number, least: unknown): boolean {
  return typeof least === 'number' && value < least;
}

function isSame(a: unknown, b: unknown, walk: { steps: number }): boolean {
  walk.steps++;
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return a === b;
  return canonical(a, walk) === canonical(b, walk);
}

/** Equal values have equal texts. */
function canonical(value: unknown, walk: { steps: number }): string {
  return JSON.stringify(value, (_, member) => {
    if (++walk.steps > MAX_STEPS) throw new TooMuch();
    return isPlainObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member;
  });
}

function fault(place: string, words: string): string {
  return place === '' ? `The answer: ${words}.` : `${place}: ${words}.`;
}

function own(node: unknown, name: string): unknown {
  return typeof node === 'object' && node !== null && Object.hasOwn(node, name)
    ? (node as JsonObject)[name]
    : undefined;
}

function objectOf(value: unknown): JsonObject {
  return isPlainObject(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
