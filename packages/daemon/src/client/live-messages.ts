import type { StreamItem } from './follow-events.js';

/** A message that is being written. */
export interface LiveMessage {
  session_id: string;
  root_id: string;
  /** The id under which it is stored when it is whole. */
  message_id: string;
  text: string;
  reasoning: string;
}

/**
 * Folds the items of `followEvents({ deltas: true })` into the messages that are being written: each session writes one at a time. A
 * piece that was heard before, as after a broken connection, is not added again; one after a hole waits for the next snapshot.
 */
export class LiveMessages {
  readonly #open = new Map<string, LiveMessage>();

  get(session_id: string): LiveMessage | null {
    return this.#open.get(session_id) ?? null;
  }

  all(): LiveMessage[] {
    return [...this.#open.values()];
  }

  /** The message is stored: its text is no longer open. True when it was. */
  stored(message: { id: string; session_id?: string }): boolean {
    for (const [session_id, { message_id }] of this.#open)
      if (message_id === message.id) return this.#open.delete(session_id);
    return false;
  }

  /** Takes an item; true when something changed. */
  take(item: StreamItem): boolean {
    if (item.kind === 'disconnected') {
      const had = this.#open.size > 0;
      // Whatever is still open is told anew; what is not was stored meanwhile.
      this.#open.clear();
      return had;
    }
    if (item.kind === 'message_end')
      return this.get(item.session_id)?.message_id === item.message_id && this.#open.delete(item.session_id);
    if (item.kind === 'message') return item.message !== undefined && this.stored(item.message);
    if (item.kind !== 'delta' && item.kind !== 'snapshot') return false;
    const { session_id, root_id, message_id, part } = item;
    let message = this.#open.get(session_id);
    if (message?.message_id !== message_id) {
      // The beginning of it was missed: the snapshot that follows has all of it.
      if (item.kind === 'delta' && item.offset > 0) return false;
      message = { session_id, root_id, message_id, text: '', reasoning: '' };
      this.#open.set(session_id, message);
    }
    if (item.kind === 'snapshot') {
      message[part] = item.text;
      return true;
    }
    const known = message[part].length;
    if (item.offset > known || item.offset + item.delta.length <= known) return false;
    message[part] += item.delta.slice(known - item.offset);
    return true;
  }
}
