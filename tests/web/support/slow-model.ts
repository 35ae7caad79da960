import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A model whose answer comes piece by piece, when the test says so. */
export class SlowModel implements AsyncDisposable {
  #answer: ServerResponse | null = null;
  #arrived: (() => void)[] = [];
  readonly #server = createServer((request, response) => {
    request.resume().on('end', () => {
      // It is also asked which models it has.
      if (!request.url?.endsWith('/chat/completions')) {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      this.#answer = response;
      for (const arrived of this.#arrived.splice(0)) arrived();
    });
  });

  static async start(): Promise<SlowModel> {
    const model = new SlowModel();
    await new Promise<void>((resolve) => model.#server.listen(0, '127.0.0.1', resolve));
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when somebody waits for an answer. */
  async asked(): Promise<void> {
    if (!this.#answer) await new Promise<void>((resolve) => this.#arrived.push(resolve));
  }

  say(text: string): void {
    this.#send({ delta: { content: text }, finish_reason: null });
  }

  end(): void {
    this.#send({ delta: {}, finish_reason: 'stop' });
    this.#answer?.end('data: [DONE]\n\n');
    this.#answer = null;
  }

  #send(choice: object): void {
    const chunk = {
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'fake-1',
      choices: [{ index: 0, ...choice }],
    };
    this.#answer?.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }
}
