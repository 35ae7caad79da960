import { isPlainObject } from '@amplifier/core';
import { run, type Work } from '../database/database.js';
import { RECORD_EVENTS } from '../fold-metadata.js';
import { jsonText } from '../json-text.js';
import type { SessionEvent, TranscriptLine } from '../records.js';
import { type PlanText, planText, storePlan } from './plans.js';

export interface MessageText {
  seq: number;
  turn: number;
  body: string;
}

export interface EventText {
  seq: number;
  body: string;
  plan: PlanText | null;
}

export function messageTexts(lines: readonly TranscriptLine[], session_id: string): MessageText[] {
  return lines.map((line) => ({ seq: line.seq, turn: line.turn, body: jsonText(line, session_id) }));
}

/** The plan that a session was created with is stored by its hash. */
export function eventTexts(events: readonly SessionEvent[], session_id: string): EventText[] {
  return events.map((event) => {
    const { config } = event.data;
    if (event.name !== RECORD_EVENTS.CREATED || !isPlainObject(config))
      return { seq: event.seq, body: jsonText(event, session_id), plan: null };
    const body = jsonText({ ...event, data: { ...event.data, config: undefined } }, session_id);
    return { seq: event.seq, body, plan: planText(config, session_id) };
  });
}

export function* storeMessages(log: number, messages: readonly MessageText[]): Work<void> {
  for (const { seq, turn, body } of messages)
    yield* run('INSERT INTO messages (log, seq, turn, body) VALUES (?, ?, ?, ?)', log, seq, turn, body);
}

export function* storeEvents(session: number, events: readonly EventText[]): Work<void> {
  for (const { seq, body, plan } of events) {
    if (plan) yield* storePlan(plan);
    yield* run(
      'INSERT INTO events (session, seq, body, plan) VALUES (?, ?, ?, ?)',
      session,
      seq,
      body,
      plan?.hash ?? null,
    );
  }
}
