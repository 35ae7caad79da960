import { eventPages, hasCode, type SessionEvent, type SessionStore } from '@amplifier/sessions';
import { MERGED_BYTES } from '../defaults.js';

/** The session and everything below it, parents first. */
export async function sessionTree(store: SessionStore, session_id: string): Promise<string[]> {
  const ids = [session_id];
  for (const id of ids) ids.push(...(await store.children(id)).map((child) => child.session_id));
  return ids;
}

/** Stored events of several sessions after the given seqs: each session in its own order, together by time. */
export async function* readLogs(
  store: SessionStore,
  after: ReadonlyMap<string, number>,
): AsyncGenerator<SessionEvent> {
  const bytes = Math.ceil(MERGED_BYTES / Math.max(16, after.size));
  const heads: { event: SessionEvent; log: AsyncGenerator<SessionEvent> }[] = [];
  for (const [session_id, seq] of after) {
    const log = eventsAfter(store, session_id, seq, bytes);
    const { value: event } = await log.next();
    if (event) heads.push({ event, log });
  }
  while (heads.length > 0) {
    const earliest = heads.reduce((a, b) => (b.event.time < a.event.time ? b : a));
    yield earliest.event;
    const { value: event } = await earliest.log.next();
    if (event) earliest.event = event;
    else heads.splice(heads.indexOf(earliest), 1);
  }
}

/** Ends early for a session that is deleted while it is read. */
async function* eventsAfter(
  store: SessionStore,
  session_id: string,
  after: number,
  bytes: number,
): AsyncGenerator<SessionEvent> {
  try {
    for await (const page of eventPages(store, session_id, { after, bytes })) yield* page;
  } catch (error) {
    if (!hasCode(error, 'SESSION_NOT_FOUND')) throw error;
  }
}
