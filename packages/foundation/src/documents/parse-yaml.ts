import { boundsFault, isPlainObject, type JsonObject } from '@amplifier/core';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import { FoundationError, type Place } from '../errors.js';

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

/** Files written for other readers rely on merge keys, and on indentation that YAML forbids but nobody can misread. */
const TOLERANT = { merge: true, strict: false, prettyErrors: false };

/** Characters of text, and of what it stands for. Larger than any agent or bundle that a person wrote. */
const MAX_YAML_SIZE = 4 * 1024 * 1024;

/** Parses YAML whose top must be a mapping; an empty text is an empty one. Faults name file and line. */
export function parseYamlMapping({ text, file, first_line = 1 }: YamlText): YamlMapping {
  const lines = new LineCounter();
  const place = (offset: number): Place => ({ file, line: lines.linePos(offset).line + first_line - 1 });
  if (text.length > MAX_YAML_SIZE)
    throw invalidYaml(`It is larger than ${MAX_YAML_SIZE} characters`, { file, line: first_line });
  const unique = parseNested(text, { lineCounter: lines, ...TOLERANT }, file);
  const duplicates = unique.errors.filter(({ code }) => code === 'DUPLICATE_KEY');
  const document =
    duplicates.length === 0 ? unique : parseNested(text, { uniqueKeys: false, ...TOLERANT }, file);
  const [error] = document.errors;
  if (error) throw invalidYaml(error.message, place(error.pos[0]), error);
  const data = toPlainData(document, file);
  if (!isPlainObject(data)) {
    throw invalidYaml('A mapping such as `key: value` is wanted at the top', { file, line: first_line });
  }
  return {
    data,
    placeOf: (path) => nearestPlace(document, path, place) ?? { file, line: first_line },
    duplicate_keys: duplicates.map(({ pos }) => place(pos[0])),
  };
}

/** The parser recurses; what is too deep for it is too deep for us. */
function parseNested(text: string, options: Parameters<typeof parseDocument>[1], file: string): Document {
  try {
    return parseDocument(text, options);
  } catch (cause) {
    throw invalidYaml((cause as Error).message, { file }, cause);
  }
}

/** Aliases can make little text into much data, or into data that contains itself. */
function toPlainData(document: Document, file: string): unknown {
  let data: unknown;
  try {
    data = document.toJS() ?? {};
  } catch (cause) {
    throw invalidYaml((cause as Error).message, { file }, cause);
  }
  const fault = boundsFault(data, { size: MAX_YAML_SIZE });
  if (fault !== null) throw invalidYaml(`I${fault.slice(1)}`, { file });
  return data;
}

function nearestPlace(
  document: Document,
  path: readonly PropertyKey[],
  place: (offset: number) => Place,
): Place | null {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return place(node.range[0]);
  }
  return null;
}

function invalidYaml(what: string, place: Place, cause?: unknown): FoundationError {
  const sentence = what.replace(/[.:]?$/, '');
  return new FoundationError(
    `The YAML cannot be read: ${sentence}. Fix that line; text with a colon or a # in it needs quotes.`,
    { code: 'INVALID_YAML', place, cause },
  );
}
