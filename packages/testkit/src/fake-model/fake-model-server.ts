import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, sleep, systemClock } from '@amplifier/core';
import { anthropicWire } from './anthropic-wire.js';
import { replyFromConversation } from './directives.js';
import { geminiWire } from './gemini-wire.js';
import { listModels } from './model-listing.js';
import { ollamaWire } from './ollama-wire.js';
import { openaiChatWire } from './openai-chat-wire.js';
import { openaiResponsesWire } from './openai-responses-wire.js';
import { completeReply, type FakeReply } from './reply.js';
import type { Body, Step, Wire } from './wire.js';

const WIRES: readonly Wire[] = [openaiChatWire, openaiResponsesWire, anthropicWire, geminiWire, ollamaWire];

/** One request as it arrived. */
export interface FakeExchange {
  wire: string;
  path: string;
  headers: IncomingMessage['headers'];
  model: string;
  stream: boolean;
  steps: Step[];
  body: Body;
  /** How it ended: everything was said, or the connection closed before. */
  ended: Promise<'answered' | 'closed'>;
}

/** Replies in order, or a function of the request. Without one the conversation's own directives decide. */
export type FakeScript = FakeReply[] | ((exchange: FakeExchange, index: number) => FakeReply);

export interface FakeModelServerOptions {
  script?: FakeScript;
  clock?: Clock;
}

/** Five vendors' HTTP interfaces on one loopback port, with a model behind them that does what it is told. */
export class FakeModelServer implements AsyncDisposable {
  readonly exchanges: FakeExchange[] = [];
  /** The paths of all questions for which models there are. */
  readonly listings: string[] = [];
  readonly #server: Server;
  readonly #clock: Clock;
  #script: FakeScript | undefined;
  #scripted = 0;
  #waiting: { count: number; arrived: () => void }[] = [];

  private constructor({ script, clock = systemClock }: FakeModelServerOptions) {
    this.#script = script;
    this.#clock = clock;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async start(options: FakeModelServerOptions = {}): Promise<FakeModelServer> {
    const server = new FakeModelServer(options);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  /** `http://127.0.0.1:port`; the vendors' usual paths follow (`/v1`, `/v1beta`, `/api`). */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Sets what comes next, without a script what the conversation says, and forgets what was asked before. */
  play(script?: FakeScript): void {
    this.#script = script;
    this.#scripted = 0;
    this.exchanges.length = 0;
  }

  /** Resolves with the exchange of that number (from 1) as soon as it has arrived. */
  async received(count = 1): Promise<FakeExchange> {
    if (this.exchanges.length < count) {
      await new Promise<void>((arrived) => this.#waiting.push({ count, arrived }));
    }
    return this.exchanges[count - 1] as FakeExchange;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    const ended = new Promise<'answered' | 'closed'>((resolve) => {
      response.once('close', () => resolve(response.writableFinished ? 'answered' : 'closed'));
    });
    const body = await readBody(request);
    const listing = listModels(request.method ?? 'GET', path, body);
    if (listing) {
      this.listings.push(path);
      return sendJson(response, 200, listing);
    }
    const wire = WIRES.find((candidate) => candidate.matches(path.split('?')[0] ?? path));
    if (!wire)
      return sendJson(response, 404, { error: { message: `The fake model server has no ${path}.` } });
    const exchange: FakeExchange = {
      wire: wire.name,
      path,
      headers: request.headers,
      model: wire.model(body, path),
      stream: wire.wantsStream(body, path),
      steps: wire.steps(body),
      body,
      ended,
    };
    const serial = this.exchanges.push(exchange);
    const reply = this.#nextReply(exchange);
    this.#waiting = this.#waiting.filter(({ count, arrived }) => count > serial || arrived());
    await this.#answer(wire, exchange, reply, serial, response);
  }

  #nextReply(exchange: FakeExchange): FakeReply {
    const script = this.#script;
    if (script === undefined) return replyFromConversation(exchange.steps);
    const index = this.#scripted++;
    if (typeof script === 'function') return script(exchange, index);
    const message = `The script has ${script.length} replies and was asked for number ${index + 1}.`;
    return script[index] ?? { fail: { status: 500, message } };
  }

  async #answer(
    wire: Wire,
    exchange: FakeExchange,
    reply: FakeReply,
    serial: number,
    response: ServerResponse,
  ): Promise<void> {
    if (reply.sleep_ms !== undefined) await sleep(this.#clock, reply.sleep_ms);
    if (reply.hang === 'before') return;
    if (reply.fail) {
      const { status, message = `The fake model failed with ${status}.`, headers } = reply.fail;
      return sendJson(response, status, wire.errorBody(status, message), headers);
    }
    const answer = completeReply(reply, exchange.model, serial);
    if (!exchange.stream) return sendWhole(wire, reply, wire.whole(answer), response);
    const { content, end } = wire.frames(answer);
    response.writeHead(200, { 'content-type': wire.streamType, 'cache-control': 'no-store' });
    for (const frame of content) {
      if (response.destroyed) return;
      if (!response.write(frame)) await drained(response);
    }
    if (reply.malformed) response.write(wire.malformedFrame);
    if (reply.stream_error !== undefined) response.write(wire.errorFrame(reply.stream_error));
    if (reply.hang === 'midway') return;
    if (reply.cut) await cutOff(response);
    else response.end(end.join(''));
  }
}

function sendWhole(wire: Wire, reply: FakeReply, body: Body, response: ServerResponse): void {
  if (!reply.malformed && !reply.cut) {
    sendJson(response, 200, body);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  if (reply.malformed) response.end(wire.malformedFrame);
  else response.write(JSON.stringify(body).slice(0, 20), () => response.destroy());
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: Body,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** Lets what was written reach the client, then tears the connection down without an ending. */
async function cutOff(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => response.write('\n', () => resolve()));
  response.destroy();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? {} : (JSON.parse(text) as Body);
}
