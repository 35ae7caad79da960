import { readFile } from 'node:fs/promises';
import { isPlainObject, type JsonObject } from '@amplifier/core';
import { SessionError } from '../session-error.js';

/** The JSON lines of a file; none when it is missing. A last line without an end is whole only where the writer leaves it so. */
export async function readLines(
  path: string,
  { bytes, keepRest = false }: { bytes?: number; keepRest?: boolean } = {},
): Promise<JsonObject[]> {
  const content = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  });
  const lines = content.subarray(0, bytes).toString('utf8').split('\n');
  const rest = lines.pop() ?? '';
  if (keepRest && rest.trim() !== '') lines.push(rest);
  return lines.flatMap((line, at) => (line.trim() === '' ? [] : [parseLine(line, path, at + 1)]));
}

export async function readObject(path: string): Promise<JsonObject | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return text === null ? null : parseLine(text, path, 1);
}

function parseLine(text: string, path: string, line: number): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isPlainObject(value)) return value;
  } catch (cause) {
    throw broken(path, line, 'it is not JSON', cause);
  }
  throw broken(path, line, 'it is not a JSON object');
}

export function broken(path: string, line: number, why: string, cause?: unknown): SessionError {
  return new SessionError(`${path} is damaged in line ${line}: ${why}.`, {
    code: 'SESSION_CORRUPT',
    origin: path,
    cause,
  });
}
