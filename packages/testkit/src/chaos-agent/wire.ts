import { createInterface } from 'node:readline';

export type Params = Record<string, unknown>;
type Handler = (params: Params) => Promise<unknown>;

export class WireError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** JSON-RPC on standard input and output, by hand: an agent that misbehaves needs to reach the bytes. */
export class Wire {
  #handlers: Record<string, Handler>;
  #waiting = new Map<number, (frame: Params) => void>();
  #next = 1;

  constructor(handlers: Record<string, Handler>) {
    this.#handlers = handlers;
  }

  /** Reads until the client closes its end. */
  async listen(): Promise<void> {
    for await (const line of createInterface({ input: process.stdin })) {
      if (line.trim() !== '') this.#receive(JSON.parse(line) as Params);
    }
  }

  raw(text: string): void {
    process.stdout.write(text);
  }

  notify(method: string, params: Params): void {
    this.#send({ method, params });
  }

  /** Resolves with the result; rejects with a `WireError`. */
  request(method: string, params: Params): Promise<Params> {
    const id = this.#next++;
    this.#send({ id, method, params });
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) => {
        const { code = 0, message = '' } = (error ?? {}) as { code?: number; message?: string };
        if (error) reject(new WireError(code, message));
        else resolve((result ?? {}) as Params);
      });
    });
  }

  #receive(frame: Params): void {
    const { id, method, params } = frame;
    if (typeof method !== 'string') {
      this.#waiting.get(id as number)?.(frame);
      this.#waiting.delete(id as number);
      return;
    }
    void this.#serve(id, method, (params ?? {}) as Params);
  }

  async #serve(id: unknown, method: string, params: Params): Promise<void> {
    try {
      const handler = this.#handlers[method];
      if (!handler) throw new WireError(-32601, `Method not found: ${method}`);
      const result = await handler(params);
      if (id !== undefined) this.#send({ id, result: result ?? null });
    } catch (error) {
      const code = error instanceof WireError ? error.code : -32603;
      if (id !== undefined) this.#send({ id, error: { code, message: (error as Error).message } });
    }
  }

  #send(frame: Params): void {
    this.raw(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`);
  }
}
