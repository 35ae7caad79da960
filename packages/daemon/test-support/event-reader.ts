/** A frame of a stream of events. */
export interface Frame {
  id: string | null;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what a test looks at
  data: any;
}

const SIGNALS = new Set(['synced', 'gap', 'reset', 'shutdown', 'revoked']);

/** Reads a stream of events frame by frame, and keeps what a client would need to go on. */
export class EventReader implements AsyncDisposable {
  readonly frames: Frame[] = [];
  readonly headers: Headers;
  readonly status: number;
  heartbeats = 0;
  lastEventId: string | undefined;
  #stop = new AbortController();
  #reader: ReadableStreamDefaultReader<Uint8Array>;
  #text = '';
  #decoder = new TextDecoder();
  #at = 0;

  private constructor(response: Response, stop: AbortController) {
    if (!response.body) throw new Error('The answer has no body.');
    this.headers = response.headers;
    this.status = response.status;
    this.#reader = response.body.getReader();
    this.#stop = stop;
  }

  static async open(
    url: string,
    token: string,
    { lastEventId }: { lastEventId?: string | undefined } = {},
  ): Promise<EventReader> {
    const stop = new AbortController();
    const response = await fetch(url, {
      signal: stop.signal,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'text/event-stream',
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    const reader = new EventReader(response, stop);
    reader.lastEventId = lastEventId ?? response.headers.get('x-next-cursor') ?? undefined;
    return reader;
  }

  /** The frames that are events of sessions, not of the stream. */
  get events(): Frame[] {
    return this.frames.filter(({ event }) => !SIGNALS.has(event));
  }

  /** The next frame; null when the stream has ended. */
  async next(): Promise<Frame | null> {
    for (;;) {
      const known = this.frames[this.#at];
      if (known) {
        this.#at++;
        return known;
      }
      if (!(await this.#fill())) return null;
    }
  }

  /** Reads on until a frame fits, and returns it. */
  async until(fits: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const frame = await this.next();
      if (!frame) throw new Error('The stream ended before that.');
      if (fits(frame)) return frame;
    }
  }

  async untilHeartbeat(): Promise<void> {
    const before = this.heartbeats;
    while (this.heartbeats === before) if (!(await this.#fill())) throw new Error('The stream has ended.');
  }

  /** Reads until so many events have come. */
  async untilCount(count: number): Promise<Frame[]> {
    while (this.events.length < count) if (!(await this.next())) break;
    return this.events;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#reader.cancel().catch(() => undefined);
  }

  async #fill(): Promise<boolean> {
    let chunk: Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>>;
    try {
      chunk = await this.#reader.read();
    } catch {
      return false;
    }
    if (chunk.done) return false;
    this.#text += this.#decoder.decode(chunk.value, { stream: true });
    const parts = this.#text.split('\n\n');
    this.#text = parts.pop() ?? '';
    for (const part of parts) this.#take(part);
    return true;
  }

  #take(part: string): void {
    if (part.startsWith(':')) this.heartbeats++;
    const fields = new Map(
      part.split('\n').map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]),
    );
    const event = fields.get('event') ?? 'message';
    if (!fields.has('data')) return;
    const id = fields.get('id') ?? null;
    if (id !== null) this.lastEventId = id;
    this.frames.push({ id, event, data: JSON.parse(fields.get('data') ?? 'null') });
  }
}
