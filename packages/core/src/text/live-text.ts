/** Pieces of text are told together this often: often enough to look like writing, and twenty times a second at most. */
const LIVE_PAUSE_MS = 50;
/** Characters kept of a message that is being written; what is beyond is seen when it is stored. */
const LIVE_CHARACTERS = 1_000_000;

export type LivePart = 'text' | 'reasoning';

interface LivePlace {
  session_id: string;
  root_id: string;
  /** The id that the message is stored under when it is whole. */
  message_id: string;
  /** Whose session it is, where teams share the record. */
  tenant?: string;
}

/**
 * What is being said of a message that is not stored yet. `offset` is where the piece begins, in characters of the part, so that a
 * reader neither doubles nor loses any. `end`: it is stored, or never will be.
 */
export type LiveItem =
  | ({ kind: 'delta'; part: LivePart; offset: number; delta: string } & LivePlace)
  | ({ kind: 'snapshot'; part: LivePart; text: string } & LivePlace)
  | ({ kind: 'end' } & LivePlace);

interface OpenMessage extends LivePlace {
  parts: Record<LivePart, string>;
  /** How much of each part listeners have heard. */
  told: Record<LivePart, number>;
}

const PARTS: readonly LivePart[] = ['text', 'reasoning'];

/** Text on its way into the record, by session: each writes one message at a time. Nothing of it is durable. */
export class LiveText {
  readonly #newId: () => string;
  readonly #open = new Map<string, OpenMessage>();
  readonly #listeners = new Set<(item: LiveItem) => void>();
  #late: NodeJS.Timeout | undefined;
  #onFirst: (() => void) | undefined;

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /** Calls back once, when there is something to listen to. */
  onFirst(listener: () => void): void {
    this.#onFirst = listener;
  }

  /** Another piece of what a session is saying. Pieces of a moment are told together. */
  write(session: Omit<LivePlace, 'message_id'>, part: LivePart, piece: string): void {
    const { session_id } = session;
    let message = this.#open.get(session_id);
    if (!message) {
      message = opened(placeOf({ ...session, message_id: this.#newId() }));
      this.#open.set(session_id, message);
    }
    const room = LIVE_CHARACTERS - message.parts[part].length;
    message.parts[part] += room < piece.length ? piece.slice(0, Math.max(0, room)) : piece;
    this.#onFirst?.();
    this.#onFirst = undefined;
    if (this.#listeners.size > 0) this.#late ??= setTimeout(() => this.#tellAll(), LIVE_PAUSE_MS).unref();
  }

  /** The message of a session is about to be stored, or is given up. Returns the id it is known by; null when nothing was said. */
  end(session_id: string): string | null {
    const message = this.#open.get(session_id);
    if (!message) return null;
    this.#tell(message);
    this.#open.delete(session_id);
    this.#emit({ kind: 'end', ...placeOf(message) });
    return message.message_id;
  }

  /** Takes over what another process is saying. */
  receive(item: LiveItem): void {
    const { session_id } = item;
    if (item.kind === 'end') {
      if (this.#open.get(session_id)?.message_id === item.message_id) this.#open.delete(session_id);
    } else {
      const known = this.#open.get(session_id);
      const message = known?.message_id === item.message_id ? known : opened(placeOf(item));
      this.#open.set(session_id, message);
      const { part } = item;
      if (item.kind === 'snapshot') message.parts[part] = item.text.slice(0, LIVE_CHARACTERS);
      else if (item.offset === message.parts[part].length) message.parts[part] += item.delta;
      // A hole: the next snapshot fills it.
      else return;
      message.told[part] = message.parts[part].length;
    }
    this.#emit(item);
  }

  /** What is open now, for whoever begins to listen. */
  snapshots(): LiveItem[] {
    return [...this.#open.values()].flatMap((message) =>
      PARTS.filter((part) => message.parts[part] !== '').map((part) => ({
        kind: 'snapshot' as const,
        ...placeOf(message),
        part,
        text: message.parts[part],
      })),
    );
  }

  /** Every piece from now on. What came before is told first, by `snapshots`. */
  subscribe(listener: (item: LiveItem) => void): () => void {
    for (const message of this.#open.values()) this.#tell(message);
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tellAll(): void {
    this.#late = undefined;
    for (const message of this.#open.values()) this.#tell(message);
  }

  #tell(message: OpenMessage): void {
    for (const part of PARTS) {
      const offset = message.told[part];
      const delta = message.parts[part].slice(offset);
      if (delta === '') continue;
      message.told[part] += delta.length;
      this.#emit({ kind: 'delta', ...placeOf(message), part, offset, delta });
    }
  }

  #emit(item: LiveItem): void {
    for (const listener of this.#listeners) listener(item);
  }
}

function opened(place: LivePlace): OpenMessage {
  return { ...place, parts: { text: '', reasoning: '' }, told: { text: 0, reasoning: 0 } };
}

function placeOf({ session_id, root_id, message_id, tenant }: LivePlace): LivePlace {
  return { session_id, root_id, message_id, ...(tenant === undefined ? {} : { tenant }) };
}
