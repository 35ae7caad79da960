import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  id: string;
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what a test looks at
  body: any;
  status: number;
}

/** Somebody who is told, and who believes nothing that is not signed. */
export class WebhookReceiver implements AsyncDisposable {
  readonly received: Received[] = [];
  /** What to answer to the n-th request, counted from 0. */
  answer: (at: number) => { status: number; headers?: Record<string, string> } = () => ({ status: 204 });
  secret = '';
  #server: Server;
  #waiting: (() => void)[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(createServer());
    receiver.#server.on('request', async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      const id = String(request.headers['webhook-id']);
      const isGenuine = receiver.#verify(id, request.headers, text);
      const { status, headers = {} } = isGenuine
        ? receiver.answer(receiver.received.length)
        : { status: 401 };
      receiver.received.push({ id, body: JSON.parse(text), status });
      response.writeHead(status, headers).end();
      for (const wake of receiver.#waiting.splice(0)) wake();
    });
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  async until(fits: (received: readonly Received[]) => boolean): Promise<readonly Received[]> {
    while (!fits(this.received)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.received;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** As the specification of Standard Webhooks tells receivers to. */
  #verify(id: string, headers: NodeJS.Dict<string | string[]>, text: string): boolean {
    const timestamp = String(headers['webhook-timestamp']);
    const key = Buffer.from(this.secret.replace('whsec_', ''), 'base64');
    const wanted = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest();
    return String(headers['webhook-signature'])
      .split(' ')
      .some((each) => {
        const given = Buffer.from(each.replace(/^v1,/, ''), 'base64');
        return given.length === wanted.length && timingSafeEqual(given, wanted);
      });
  }
}
