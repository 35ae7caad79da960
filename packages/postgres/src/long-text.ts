import { createHash } from 'node:crypto';
import type { SqlValue } from '@amplifier/sessions';
import { BLOB_CHARACTERS } from './defaults.js';

/** No text of the record begins with it but those that are stored in another way. */
const MARK = '\u0001';
const BLOB = `${MARK}blob:`;
const ESCAPED = `${MARK}text:`;

export interface Blob {
  hash: string;
  body: string;
}

/** A text as it is stored: itself; by its hash, where it is long; or escaped, where PostgreSQL could not store it. */
export function encodeText(value: SqlValue, blobs: Blob[]): SqlValue {
  // No key, count or limit is as large as that.
  if (value === Number.POSITIVE_INFINITY) return Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'string') return value;
  const isStrange = value.startsWith(MARK) || value.includes('\u0000');
  const text = isStrange ? ESCAPED + JSON.stringify(value) : value;
  if (text.length <= BLOB_CHARACTERS) return text;
  const hash = createHash('sha256').update(text).digest('base64url');
  blobs.push({ hash, body: text });
  return BLOB + hash;
}

/** The hashes of the long texts that rows refer to. */
export function* longTexts(rows: readonly Record<string, unknown>[]): Generator<string> {
  for (const row of rows)
    for (const value of Object.values(row))
      if (typeof value === 'string' && value.startsWith(BLOB)) yield value.slice(BLOB.length);
}

/** Puts back what was stored in another way, in place. */
export function decodeTexts(
  rows: readonly Record<string, unknown>[],
  bodies: ReadonlyMap<string, string>,
): void {
  for (const row of rows)
    for (const [name, value] of Object.entries(row)) {
      if (typeof value !== 'string' || !value.startsWith(MARK)) continue;
      const text = value.startsWith(BLOB) ? (bodies.get(value.slice(BLOB.length)) ?? '') : value;
      row[name] = text.startsWith(ESCAPED) ? JSON.parse(text.slice(ESCAPED.length)) : text;
    }
}

/** What refers to long texts: tables and columns. */
export const LONG_COLUMNS: readonly (readonly [string, string])[] = [
  ['plans', 'body'],
  ['messages', 'body'],
  ['events', 'body'],
  ['documents', 'body'],
  ['mail', 'body'],
  ['sessions', 'last_outcome'],
  ['runs', 'payload'],
  ['runs', 'result'],
  ['facts', 'value'],
  ['shelf', 'body'],
];

/** Removes long texts that no row has any more. */
export const SWEEP_BLOBS = `DELETE FROM blobs WHERE ${LONG_COLUMNS.map(
  ([table, column]) =>
    `NOT EXISTS (SELECT 1 FROM ${table} WHERE left(${column}, 1) = E'\\x01' AND ${column} = E'\\x01blob:' || hash)`,
).join(' AND ')}`;
