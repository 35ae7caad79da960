import { type Outcome, outcomeIn, outcomeInEvent } from '@amplifier/delegation';
import { eventPages, type SessionMetadata, type SessionStore } from '@amplifier/sessions';

/** How a turn ended, and when: of the last turn by the metadata, of an earlier one by the log. */
export async function endOfTurn(
  store: SessionStore,
  metadata: SessionMetadata,
  turn: number,
): Promise<{ outcome: Outcome; time: string } | null> {
  const { session_id, extra, ended, updated } = metadata;
  const last = outcomeIn(metadata, turn);
  if (last) return { outcome: last, time: ended ?? updated };
  if (typeof extra.turn !== 'number' || extra.turn <= turn) return null;
  let end: { outcome: Outcome; time: string } | null = null;
  for await (const events of eventPages(store, session_id))
    for (const event of events) {
      const outcome = outcomeInEvent(event, turn);
      if (outcome) end = { outcome, time: event.time };
    }
  return end;
}
