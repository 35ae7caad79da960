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

async function answerOf(line: Line, { sql, values, wants }: Statement): Promise<unknown> {
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
  await bringLongTexts(line, rows);
  return wants === 'row' ? rows[0] : rows;
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
