import { boundsFault, type JsonObject } from '@amplifier/core';
import { parse, TomlError } from 'smol-toml';
import { FoundationError, formatPlace } from '../errors.js';

/** Throws with the place of what cannot be read. */
export function parseToml(text: string, file: string): JsonObject {
  try {
    const data = parse(text) as JsonObject;
    const fault = boundsFault(data);
    if (fault === null) return data;
    throw new FoundationError(`${file}: It was not taken: ${fault}.`, {
      code: 'INVALID_AGENT',
      place: { file },
    });
  } catch (cause) {
    if (cause instanceof FoundationError) throw cause;
    const place = cause instanceof TomlError ? { file, line: cause.line } : { file };
    const said =
      cause instanceof TomlError ? (cause.message.split('\n')[0] ?? '') : 'It is nested too deeply';
    throw new FoundationError(`${formatPlace(place)}: ${said}. Correct the TOML.`, {
      code: 'INVALID_AGENT',
      place,
      cause,
    });
  }
}
