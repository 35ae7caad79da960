import { createHash } from 'node:crypto';
import type { Statement, Work } from '@amplifier/sessions';
import type { ClientBase } from 'pg';
import { type Blob, decodeTexts, encodeText, longTexts } from './long-text.js';
import { translate } from './translate.js';

const READS = /^\s*(SELECT|WITH)/;

/** A connection that statements of the record are sent over. */
export interface Line {
  client: ClientBase;
  /** Statements are prepared once each. Not where a pooler may send the next one somewhere else. */
  prepares: boolean;
  /** Has work changed anything since this was last set to false? */
  hasWritten: boolean;
}

/** Runs a piece of work, one statement after the other. */
export async function execute<T>(line: Line, work: Work<T>): Promise<T> {
  let step = work.next();
  while (!step.done) {
    let answer: unknown;
    try {
      answer = await answerOf(line, step.value);
    } catch (error) {
      // Lets the work end as it would have where the statement was made.
      step = work.throw(error);
      continue;
    }
    step = work.next(answer);
  }
  return step.value;
}

async function answerOf(line: Line, statement: Statement): Promise<unknown> {
  const { wants, within } = statement;
  const sql = within ? firstRows(statement.sql, within) : statement.sql;
  const values = within ? [...statement.values, within.bytes] : statement.values;
  const blobs: Blob[] = [];
  const stored = values.map((value) => encodeText(value, blobs));
  for (const { hash, body } of blobs)
    await line.client.query('INSERT INTO blobs (hash, body) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      hash,
      body,
    ]);
  const text = translate(sql);
  const name = line.prepares ? { name: nameOf(text) } : {};
  const { rows, rowCount } = await line.client.query({ ...name, text, values: stored });
  if (wants === 'changes') {
    if ((rowCount ?? 0) > 0) line.hasWritten = true;
    return rowCount ?? 0;
  }
  if (!READS.test(sql)) line.hasWritten = true;
  const fitting = within ? await withoutLongRest(line, rows, within) : rows;
  await bringLongTexts(line, fitting);
  return wants === 'row' ? fitting[0] : fitting;
}

type Within = Required<Statement>['within'];

/** The same statement for its first rows, with the bytes as its last value. The size of a text is known without reading it. */
function firstRows(sql: string, { columns }: Within): string {
  const size = columns.map((name) => `coalesce(octet_length(q.${name}), 0)`).join(' + ');
  const before = `sum(${size}) OVER (ROWS UNBOUNDED PRECEDING) - (${size})`;
  return `SELECT * FROM (SELECT q.*, ${before} AS before_, ${size} AS size_ FROM (${sql}) q) w WHERE before_ = 0 OR before_ + size_ <= ?`;
}

/** Rows that refer to long texts are larger than they look: only as many as fit with these, and the first. */
async function withoutLongRest(
  { client }: Line,
  rows: Record<string, unknown>[],
  { bytes, columns }: Within,
): Promise<Record<string, unknown>[]> {
  const hashes = [...new Set(longTexts(rows))];
  if (hashes.length === 0) return rows;
  const sizes = 'SELECT hash, octet_length(body) AS size FROM blobs WHERE hash = ANY($1)';
  const found = await client.query<{ hash: string; size: number }>(sizes, [hashes]);
  const known = new Map(found.rows.map(({ hash, size }) => [hash, size]));
  let total = 0;
  const end = rows.findIndex((row, at) => {
    total += Number(row.size_);
    for (const hash of longTexts([pick(row, columns)])) total += known.get(hash) ?? 0;
    return at > 0 && total > bytes;
  });
  return end < 0 ? rows : rows.slice(0, end);
}

function pick(row: Record<string, unknown>, columns: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(columns.map((name) => [name, row[name]]));
}

async function bringLongTexts({ client }: Line, rows: Record<string, unknown>[]): Promise<void> {
  const hashes = [...new Set(longTexts(rows))];
  const bodies = new Map<string, string>();
  if (hashes.length > 0) {
    const found = await client.query<Blob>('SELECT hash, body FROM blobs WHERE hash = ANY($1)', [hashes]);
    for (const { hash, body } of found.rows) bodies.set(hash, body);
  }
  decodeTexts(rows, bodies);
}

const names = new Map<string, string>();

function nameOf(sql: string): string {
  const known = names.get(sql) ?? createHash('sha1').update(sql).digest('base64url');
  names.set(sql, known);
  return known;
}
