import type { JsonObject } from '@amplifier/core';
import { countEvents, countMessages, newMetadata, RECORD_EVENTS } from '../fold-metadata.js';
import { numberEvents, numberMessages, type RecordSource } from '../number-records.js';
import type { NewMessage, SessionBirth, SessionContents, SessionPatch } from '../records.js';
import { documentTexts } from './documents.js';
import type { SessionDraft } from './insert-session.js';
import { eventTexts, messageTexts } from './write-records.js';

/** Everything a session begins with. A fork begins with the counts of what it shares, and closes the calls it cut off. */
export function draftSession(
  source: RecordSource,
  birth: SessionBirth & SessionPatch,
  contents: SessionContents,
  base: { messages: number; turns: number; closers: readonly NewMessage[] } = {
    messages: 0,
    turns: 0,
    closers: [],
  },
): Omit<SessionDraft, 'owner'> {
  const { session_id, created } = birth;
  const metadata = newMetadata(birth, base);
  const first = { name: RECORD_EVENTS.CREATED, data: birth as unknown as JsonObject, time: created };
  const events = numberEvents(source, metadata, [first, ...(contents.events ?? [])]);
  const messages = numberMessages(source, metadata, [...base.closers, ...(contents.messages ?? [])]);
  const texts = {
    events: eventTexts(events, session_id),
    messages: messageTexts(messages, session_id),
    documents: documentTexts(contents.documents ?? {}, session_id),
  };
  countEvents(metadata, events);
  countMessages(metadata, messages);
  return { metadata, ...texts };
}
