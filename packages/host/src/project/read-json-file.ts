import { errorInfo, isPlainObject, type JsonObject, parseBoundedJson } from '@amplifier/core';
import { FoundationError, readTextFile } from '@amplifier/foundation';
import { HostError } from '../host-error.js';

/** Larger than any such file that a person wrote. */
const MAX_BYTES = 1024 * 1024;

/** The text of a small file that anybody may have written; null where it is not there. A folder, pipe or large file is refused. */
export async function readSmallFile(file: string): Promise<string | null> {
  try {
    return await readTextFile(file, MAX_BYTES);
  } catch (error) {
    if (error instanceof FoundationError && error.code === 'FILE_NOT_FOUND') return null;
    throw error;
  }
}

/** A file of another tool's that holds a JSON object; an empty one where it is not there. Rejects for one that holds anything else. */
export async function readJsonFile(file: string): Promise<JsonObject> {
  try {
    const text = await readSmallFile(file);
    const value = text === null || text.trim() === '' ? {} : parseBoundedJson(text, 'The file');
    if (isPlainObject(value)) return value;
  } catch (error) {
    // What the parser says of a text quotes it, and the file may be a link to a secret.
    throw unreadable(file, error instanceof SyntaxError ? 'It is not JSON.' : errorInfo(error).message);
  }
  throw unreadable(file, 'It holds no JSON object.');
}

function unreadable(file: string, why: string): HostError {
  return new HostError(`${file} cannot be used: ${why} Correct it, or set other_tools: false.`, {
    code: 'OTHER_FILE_INVALID',
    origin: file,
  });
}
