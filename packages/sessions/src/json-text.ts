import { type JsonObject, type JsonText, jsonTextOf, setOwn } from '@amplifier/core';
import { SessionError } from './session-error.js';

/** A value as it is stored. What JSON has no word for is refused before anything changes. */
export function jsonText(value: unknown, session_id: string): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw unwritable(cause, session_id);
  }
}

/** The same with its hash. Of a frozen value it is made once. */
export function storedText(value: object, session_id: string): JsonText {
  try {
    return jsonTextOf(value);
  } catch (cause) {
    throw unwritable(cause, session_id);
  }
}

function unwritable(cause: unknown, session_id: string): SessionError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `A record of session ${session_id} cannot be written as JSON: ${reason}. Nothing was stored.`;
  return new SessionError(message, { code: 'INVALID_RECORD', origin: session_id, cause });
}

/** What was stored. `place` names it for whoever has to look into the record. */
export function parseText<T>(text: string | null | undefined, session_id: string, place: string): T {
  try {
    if (text != null) return JSON.parse(text);
  } catch (cause) {
    throw damaged(session_id, place, 'it is not JSON', cause);
  }
  throw damaged(session_id, place, 'it is missing');
}

export function damaged(session_id: string, place: string, why: string, cause?: unknown): SessionError {
  const message = `The record of session ${session_id} is damaged in ${place}: ${why}. Other sessions are not touched. Run \`amplifier record verify\` to see all damage; restore a backup, or delete the session.`;
  return new SessionError(message, { code: 'SESSION_CORRUPT', origin: session_id, cause });
}

/** Without members that are undefined, which JSON leaves out. */
export function definedMembers(value: JsonObject): JsonObject {
  const defined: JsonObject = {};
  for (const key in value) if (value[key] !== undefined) setOwn(defined, key, value[key]);
  return defined;
}
