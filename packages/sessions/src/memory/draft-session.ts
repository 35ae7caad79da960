import type { JsonObject } from '@amplifier/core';
import { foldEvents, foldMessages, newMetadata, RECORD_EVENTS } from '../fold-metadata.js';
import { numberEvents, numberMessages, type RecordSource } from '../number-records.js';
import type { DocumentName, SessionBirth, SessionContents, SessionPatch } from '../records.js';
import { missingResult, openToolCalls } from '../repair-tool-calls.js';
import type { HeldSession } from './memory-place.js';
import { jsonText, lastTurn, recordTexts } from './memory-session-log.js';

/** A session that nobody knows yet, with all it is born with. `base` is a conversation it goes on with. */
export function draftSession(
  source: RecordSource,
  data: SessionBirth & SessionPatch,
  contents: SessionContents,
  base: readonly string[] = [],
): HeldSession {
  const { name = null, model = null, extra = {}, ...birth } = data;
  const { session_id, created } = birth;
  const kept = lastTurn({ messages: [...base] });
  const last = kept.at(-1);
  const counts = { messages: last?.seq ?? 0, turns: last?.turn ?? 0 };
  const born = newMetadata(birth, { name, model, extra }, counts);
  const first = { name: RECORD_EVENTS.CREATED, data: data as unknown as JsonObject, time: created };
  const closers = openToolCalls(kept).map((call) => missingResult(call, FORKED));
  const events = numberEvents(source, born, [first, ...(contents.events ?? [])]);
  const messages = numberMessages(source, born, [...closers, ...(contents.messages ?? [])]);
  return {
    metadata: foldMessages(foldEvents(born, events), messages),
    messages: [...base, ...recordTexts(messages, session_id)],
    events: recordTexts(events, session_id),
    documents: documentTexts(contents.documents ?? {}, session_id),
    letters: [],
    owner: null,
    lease: null,
    bells: new Set(),
  };
}

const FORKED = 'The conversation was forked here, before the tool call had a result.';

export function documentTexts(
  documents: NonNullable<SessionContents['documents']>,
  session_id: string,
): HeldSession['documents'] {
  const texts: HeldSession['documents'] = {};
  for (const [name, document] of Object.entries(documents)) {
    if (document !== undefined) texts[name as DocumentName] = jsonText(document, session_id);
  }
  return texts;
}
