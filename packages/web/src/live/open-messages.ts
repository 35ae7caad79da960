import type { Delta, Snapshot } from '../api/types.js';

/** A message while it is written: not stored yet. */
export interface OpenMessage {
  message_id: string;
  session_id: string;
  text: string;
  reasoning: string;
}

/**
 * Adds a delta to what is written. A delta names the place it belongs to, so that one that comes twice changes nothing; one
 * after a hole is left out: the snapshot after the next connection, or the stored message, brings what is missing.
 */
export function withDelta(open: OpenMessage | undefined, delta: Delta): OpenMessage {
  const known = open ?? {
    message_id: delta.message_id,
    session_id: delta.session_id,
    text: '',
    reasoning: '',
  };
  const before = known[delta.part];
  if (delta.offset > before.length) return known;
  const overlap = before.length - delta.offset;
  if (overlap >= delta.delta.length) return known;
  return { ...known, [delta.part]: before + delta.delta.slice(overlap) };
}

/** A snapshot is the whole text so far. */
export function withSnapshot(open: OpenMessage | undefined, snapshot: Snapshot): OpenMessage {
  const { message_id, session_id } = snapshot;
  const known = open ?? { message_id, session_id, text: '', reasoning: '' };
  return known[snapshot.part].length > snapshot.text.length
    ? known
    : { ...known, [snapshot.part]: snapshot.text };
}
