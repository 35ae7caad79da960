import { isPlainObject, type JsonObject } from '@amplifier/core';
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

/** Parses YAML whose top must be a mapping; an empty text is an empty one. Faults name file and line. */
export function parseYamlMapping({ text, file, first_line = 1 }: YamlText): YamlMapping {
  const lines = new LineCounter();
  const place = (offset: number): Place => ({ file, line: lines.linePos(offset).line + first_line - 1 });
  const unique = parseDocument(text, { lineCounter: lines, ...TOLERANT });
  const duplicates = unique.errors.filter(({ code }) => code === 'DUPLICATE_KEY');
  const document = duplicates.length === 0 ? unique : parseDocument(text, { uniqueKeys: false, ...TOLERANT });
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

function toPlainData(document: Document, file: string): unknown {
  try {
    return document.toJS() ?? {};
  } catch (cause) {
    throw invalidYaml((cause as Error).message, { file }, cause);
  }
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
