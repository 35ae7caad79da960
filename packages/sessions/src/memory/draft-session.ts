import type { JsonObject } from '@amplifier/core';
import { countEvents, countMessages, newMetadata, RECORD_EVENTS } from '../fold-metadata.js';
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
  const { session_id, created } = data;
  const kept = lastTurn({ messages: [...base] });
  const last = kept.at(-1);
  const counts = { messages: last?.seq ?? 0, turns: last?.turn ?? 0 };
  const metadata = newMetadata(data, counts);
  const first = { name: RECORD_EVENTS.CREATED, data: data as unknown as JsonObject, time: created };
  const closers = openToolCalls(kept).map((call) => missingResult(call, FORKED));
  const events = numberEvents(source, metadata, [first, ...(contents.events ?? [])]);
  const messages = numberMessages(source, metadata, [...closers, ...(contents.messages ?? [])]);
  countEvents(metadata, events);
  countMessages(metadata, messages);
  return {
    metadata,
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
