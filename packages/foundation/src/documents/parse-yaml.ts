import { boundsFault, isPlainObject, type JsonObject } from '@amplifier/core';
import { load, YAMLException } from 'js-yaml';
import { FoundationError, type Place } from '../errors.js';
import { PYYAML_SCHEMA } from './pyyaml-schema.js';
import { YamlPlaces } from './yaml-places.js';

/** A YAML mapping that remembers where each of its values stood. */
export interface YamlMapping {
  data: JsonObject;
  /** The place of the value at `path`, or of the nearest one above it that exists. */
  placeOf(path: readonly PropertyKey[]): Place;
  /** Keys written twice; the last one counts, as in other readers of these files. */
  duplicate_keys: Place[];
}

export interface YamlText {
  text: string;
  file: string;
  /** The line of the file on which the text begins. */
  first_line?: number;
}

/** Characters of text, and of what it stands for. Larger than any agent or bundle that a person wrote. */
const MAX_YAML_SIZE = 4 * 1024 * 1024;

/** Aliases times characters: what merged mappings copy stays below it. */
const MAX_YAML_COPIES = 4 * MAX_YAML_SIZE;

/**
 * Parses YAML whose top must be a mapping; an empty text is an empty one. Values are those that PyYAML gives, which is what
 * these files are written for. Faults name file and line.
 */
export function parseYamlMapping({ text, file, first_line = 1 }: YamlText): YamlMapping {
  const place = (line: number): Place => ({ file, line: line + first_line });
  if (text.length > MAX_YAML_SIZE)
    throw invalidYaml(`It is larger than ${MAX_YAML_SIZE} characters`, place(0));
  if (aliasesIn(text) * text.length > MAX_YAML_COPIES)
    throw invalidYaml('It has too many aliases for its size', place(0));
  const places = new YamlPlaces();
  const data = read(text, places, place) ?? {};
  // Aliases can make little text into much data, or into data that contains itself.
  const fault = boundsFault(data, { size: MAX_YAML_SIZE });
  if (fault !== null) throw invalidYaml(`I${fault.slice(1)}`, { file });
  if (!isPlainObject(data))
    throw invalidYaml('A mapping such as `key: value` is wanted at the top', place(0));
  if (!text.endsWith('\n')) withoutLastNewline(data, places.lastPath());
  return {
    data,
    placeOf: (path) => place(places.lineOf(path)),
    duplicate_keys: places.repeatedKeys().map(place),
  };
}

/** Counts what looks like an alias of an anchor, in texts too. */
function aliasesIn(text: string): number {
  const anchors = new Set(Array.from(text.matchAll(/&([^\s,[\]{}]+)/g), ([, name]) => name));
  if (anchors.size === 0) return 0;
  let found = 0;
  for (const [, name] of text.matchAll(/\*([^\s,[\]{}]+)/g)) if (anchors.has(name)) found++;
  return found;
}

function read(text: string, places: YamlPlaces, place: (line: number) => Place): unknown {
  try {
    return load(text, { schema: PYYAML_SCHEMA, json: true, listener: places.listener });
  } catch (cause) {
    if (cause instanceof YAMLException)
      throw invalidYaml(cause.reason, place(Math.min(cause.mark?.line ?? 0, lastLine(text))), cause);
    // The parser recurses; what is too deep for it is too deep for us.
    if (cause instanceof RangeError) throw invalidYaml('It is nested too deeply', place(0), cause);
    throw cause;
  }
}

/** A block of text at the very end has no more newlines than stand there; the parser adds one of its own. */
function withoutLastNewline(data: JsonObject, path: string[]): void {
  const name = path.pop();
  const holder = path.reduce<unknown>((value, step) => (value as JsonObject | undefined)?.[step], data);
  if (name === undefined || typeof holder !== 'object' || holder === null) return;
  const value = (holder as JsonObject)[name];
  if (typeof value === 'string') (holder as JsonObject)[name] = value.replace(/\n$/, '');
}

/** What is never closed is found missing behind the end. */
function lastLine(text: string): number {
  return text.trimEnd().split('\n').length - 1;
}

function invalidYaml(what: string, place: Place, cause?: unknown): FoundationError {
  const sentence = what.replace(/[.:]?$/, '');
  return new FoundationError(
    `The YAML cannot be read: ${sentence}. Fix that line; text with a colon or a # in it needs quotes.`,
    { code: 'INVALID_YAML', place, cause },
  );
}
