import type { Delegation, Delegator } from '@amplifier/delegation';
import { hasCode, type SessionLog, type SessionStore } from '@amplifier/sessions';

/**
 * The log of a session on whose behalf somebody delegates while it does not run: opened for each write, so that nobody is kept from
 * resuming the session meanwhile. What could not be written because it runs after all is told to it by mail when the child has ended.
 */
export class BriefLog implements Pick<SessionLog, 'appendEvents'> {
  readonly #store: SessionStore;
  readonly #session_id: string;
  #last: Promise<unknown> = Promise.resolve();
  #hasMissed = false;

  constructor(store: SessionStore, session_id: string) {
    this.#store = store;
    this.#session_id = session_id;
  }

  appendEvents(events: Parameters<SessionLog['appendEvents']>[0]): ReturnType<SessionLog['appendEvents']> {
    const written = this.#last.then(() => this.#write(events));
    this.#last = written.catch(() => {});
    return written;
  }

  /** Hands back by mail what the log has missed. */
  async settle(delegation: Delegation, delegator: Delegator): Promise<void> {
    await this.#last;
    if (!this.#hasMissed || delegation.kind !== 'outcome') return;
    const { outcome } = delegation;
    const { extra } = await this.#store.metadata(outcome.session_id);
    await delegator.handBackLater(
      outcome.session_id,
      typeof extra.turn === 'number' ? extra.turn : 1,
      outcome,
    );
  }

  async #write(
    events: Parameters<SessionLog['appendEvents']>[0],
  ): Promise<Awaited<ReturnType<SessionLog['appendEvents']>>> {
    let log: SessionLog;
    try {
      log = await this.#store.open(this.#session_id);
    } catch (error) {
      if (!hasCode(error, 'SESSION_LOCKED')) throw error;
      this.#hasMissed = true;
      return [];
    }
    try {
      return await log.appendEvents(events);
    } finally {
      await log.close();
    }
  }
}
