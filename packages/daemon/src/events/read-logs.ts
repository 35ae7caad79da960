import { hasCode, type SessionEvent, type SessionStore } from '@amplifier/sessions';
import { EVENT_PAGE } from '../defaults.js';

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
  const heads: Head[] = [];
  for (const [session_id, seq] of after) {
    const head = new Head(store, session_id, seq);
    if (await head.advance()) heads.push(head);
  }
  while (heads.length > 0) {
    const earliest = heads.reduce((a, b) => (b.event.time < a.event.time ? b : a));
    yield earliest.event;
    if (!(await earliest.advance())) heads.splice(heads.indexOf(earliest), 1);
  }
}

/** Where one log is being read. */
class Head {
  readonly #store: SessionStore;
  readonly #session_id: string;
  #page: SessionEvent[] = [];
  #at = 0;
  #after: number;
  #isLast = false;

  constructor(store: SessionStore, session_id: string, after: number) {
    this.#store = store;
    this.#session_id = session_id;
    this.#after = after;
  }

  get event(): SessionEvent {
    return this.#page[this.#at] as SessionEvent;
  }

  /** Moves to the next event; false at the end of what is stored. */
  async advance(): Promise<boolean> {
    if (++this.#at < this.#page.length) return true;
    if (this.#isLast) return false;
    this.#page = await this.#nextPage();
    this.#at = 0;
    this.#after = this.#page.at(-1)?.seq ?? this.#after;
    this.#isLast = this.#page.length < EVENT_PAGE;
    return this.#page.length > 0;
  }

  /** A session that has been deleted meanwhile has nothing more to say. */
  async #nextPage(): Promise<SessionEvent[]> {
    try {
      return await this.#store.events(this.#session_id, { after: this.#after, limit: EVENT_PAGE });
    } catch (error) {
      if (hasCode(error, 'SESSION_NOT_FOUND')) return [];
      throw error;
    }
  }
}
