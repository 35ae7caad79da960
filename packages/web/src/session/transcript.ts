import { signal } from '@preact/signals';
import { readTranscript, type TranscriptRange } from '../api/calls.js';
import { errorWords } from '../api/client.js';
import type { Message } from '../api/types.js';

/** What is seen first, and no more: the rest comes while it is read. */
const FIRST = 30;
const PAGE = 50;
/** So many are drawn at once; then the page may do something else, such as draw a frame. */
const SLICE = 10;
/** More messages than this in the page make it slow: the far end makes room. */
const MOST = 300;

/** A message and the event of its end are written one after the other. */
const SLACK = 100;

/** A window on the messages of one session that pages from the tail. */
export class Transcript {
  readonly session_id: string;
  readonly messages = signal<Message[] | null>(null);
  readonly error = signal<string | null>(null);
  readonly hasOlder = signal(false);
  /** False while the window does not reach the end. */
  readonly hasNewer = signal(false);
  /** While it reads or draws. */
  readonly isBusy = signal(false);
  /** The message that was looked for. */
  readonly found = signal<number | null>(null);
  readonly #stopped = new AbortController();
  #busy: Promise<void> | null = null;
  #stale = false;

  constructor(session_id: string) {
    this.session_id = session_id;
  }

  close(): void {
    this.#stopped.abort();
  }

  /** The end, or the place of one message. */
  async load(at: number | null = null): Promise<void> {
    await this.#once(async () => {
      const range = at === null ? { limit: FIRST } : { before: at + 1, limit: PAGE };
      const page = await this.#read(range);
      const now = at === null ? -SLICE : 0;
      this.hasNewer.value = at !== null && page.messages.length > 0;
      this.messages.value = page.messages.slice(now);
      await this.#prepend(page.messages.slice(0, now), page.has_more);
    });
    if (this.hasNewer.value) await this.newer();
  }

  /** Goes to a message by its number, or to the last one that was there at a moment. */
  async find(at: string): Promise<void> {
    const seq = /^\d+$/.test(at) ? Number(at) : await this.#seqAt(Date.parse(at) + SLACK).catch(() => null);
    await this.load(seq);
    this.found.value = seq;
  }

  /** Numbers have no gaps, so that halving finds a moment in a few questions. */
  async #seqAt(time: number): Promise<number | null> {
    const { messages } = await this.#read({ limit: 1 });
    let low = 1;
    let high = messages[0]?.seq ?? 0;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const [message] = (await this.#read({ after: middle - 1, limit: 1 })).messages;
      if (message && Date.parse(message.timestamp) <= time) low = middle;
      else high = middle - 1;
    }
    return high === 0 ? null : low;
  }

  async older(): Promise<void> {
    const first = this.messages.value?.[0];
    if (!first || !this.hasOlder.value || this.#busy) return;
    await this.#once(async () => {
      const page = await this.#read({ before: first.seq, limit: PAGE });
      await this.#prepend(page.messages, page.has_more);
    });
  }

  async newer(): Promise<void> {
    const last = this.messages.value?.at(-1);
    if (!last || this.#busy) return;
    await this.#once(async () => {
      const page = await this.#read({ after: last.seq, limit: PAGE });
      await this.#append(page.messages);
      this.hasNewer.value = page.has_more;
    });
  }

  /** A message of the stream is shown at once if it is the next one. */
  async take(message: Message): Promise<void> {
    const last = this.messages.value?.at(-1)?.seq ?? 0;
    if (this.hasNewer.value || (this.messages.value && message.seq <= last)) return;
    if (this.messages.value === null || this.#busy || message.seq > last + 1) return this.refresh();
    await this.#append([message]);
  }

  /** Fetches what is stored since, when the window reaches the end. */
  async refresh(): Promise<void> {
    if (this.hasNewer.value) return;
    if (this.#busy) {
      this.#stale = true;
      while (this.#busy) await this.#busy;
      return;
    }
    if (this.messages.value === null) return;
    await this.#once(async () => {
      do {
        this.#stale = false;
        const after = this.messages.value?.at(-1)?.seq ?? 0;
        const page = await this.#read({ after, limit: PAGE });
        await this.#append(page.messages);
        if (page.has_more) this.#stale = true;
      } while (this.#stale);
    });
  }

  async #prepend(more: Message[], hasOlder: boolean): Promise<void> {
    for (let end = more.length; end > 0; end -= SLICE) {
      await this.#pause();
      const all = [...more.slice(Math.max(0, end - SLICE), end), ...(this.messages.value ?? [])];
      if (all.length > MOST) this.hasNewer.value = true;
      this.messages.value = all.slice(0, MOST);
    }
    this.hasOlder.value = hasOlder;
  }

  async #append(more: Message[]): Promise<void> {
    const last = this.messages.value?.at(-1)?.seq ?? 0;
    const unseen = more.filter(({ seq }) => seq > last);
    for (let begin = 0; begin < unseen.length; begin += SLICE) {
      if (begin > 0) await this.#pause();
      const all = [...(this.messages.value ?? []), ...unseen.slice(begin, begin + SLICE)];
      if (all.length > MOST) this.hasOlder.value = true;
      this.messages.value = all.slice(-MOST);
    }
  }

  async #pause(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve));
    this.#stopped.signal.throwIfAborted();
  }

  #read(range: TranscriptRange) {
    return readTranscript(this.session_id, range, this.#stopped.signal);
  }

  async #once(act: () => Promise<void>): Promise<void> {
    while (this.#busy) await this.#busy;
    this.isBusy.value = true;
    this.#busy = act()
      .then(() => {
        this.error.value = null;
      })
      .catch((error: unknown) => {
        if (!this.#stopped.signal.aborted) this.error.value = errorWords(error);
      })
      .finally(() => {
        this.#busy = null;
        this.isBusy.value = false;
      });
    await this.#busy;
    if (this.#stale && !this.#stopped.signal.aborted && this.error.value === null) {
      this.#stale = false;
      await this.refresh();
    }
  }
}
