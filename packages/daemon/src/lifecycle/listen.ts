import { readFile } from 'node:fs/promises';
import type { RequestListener, Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { AmplifierError, type Clock } from '@amplifier/core';
import { createAdaptorServer } from '@hono/node-server';
import type { Logger } from 'pino';
import type { Caller } from '../auth/scope.js';
import { checkListed, type DaemonConfig } from '../config.js';
import {
  ACCEPTING_TURNS,
  HEADERS_TIMEOUT_MS,
  IDLE_CONNECTION_MS,
  MAX_PIPELINED,
  REQUEST_TURN_MS,
  UNREAD_MS,
} from '../defaults.js';
import { buildApp } from '../http/build-app.js';
import { Connections, keyOf } from '../http/connections.js';
import type { Idempotency } from '../http/idempotency.js';
import { LargeAnswers } from '../http/large-answers.js';
import { allEndpoints } from '../routes/endpoints.js';
import type { McpMount } from '../routes/mcp-mount.js';
import { webPages } from '../routes/web-pages.js';
import type { Services } from '../services.js';
import { connectionLimit } from './connection-limit.js';

/** What the way in needs beside the services. */
export interface Entrance {
  token: string;
  idempotency: Idempotency;
  logger: Logger;
  mcp: McpMount;
}

/** A server that listens, and its open connections. */
export interface Listening {
  server: Server;
  connections: Connections;
  largeAnswers: LargeAnswers;
}

/** Another daemon of the same record, which reads along. */
const PEER: Caller = { id: 'daemon', account: 'daemon', scope: 'read' };

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Serves the API and MCP at the configured address. Resolves when it listens. */
export async function listen(
  services: Services,
  { token, idempotency, logger, mcp }: Entrance,
): Promise<Listening> {
  const { config, tokens, peers, local_name } = services;
  const rules = {
    token: Buffer.from(token),
    findToken: async (given: string) =>
      peers?.isPeer(given) ? PEER : listed(await tokens.find(given), config),
    findBrowser: async (cookie: string) => listed(await tokens.findBrowser(cookie), config),
    allowed_hosts: [...LOOPBACK, local_name, config.host, ...config.allowed_hosts],
    allowed_origins: config.allowed_origins,
  };
  const largeAnswers = new LargeAnswers();
  const tls = await readTls(config);
  const connections = new Connections(connectionLimit(), tls === null);
  const app = buildApp({
    endpoints: allEndpoints(),
    services,
    pages: webPages(),
    rules,
    idempotency,
    largeAnswers,
    connections,
    logger,
  });
  mcp.mount(app);
  const server = createAdaptorServer({
    fetch: app.fetch,
    ...(tls ? { createServer: createTlsServer } : {}),
    serverOptions: {
      ...tls,
      requestTimeout: config.request_timeout_ms,
      headersTimeout: Math.min(HEADERS_TIMEOUT_MS, config.request_timeout_ms),
      keepAliveTimeout: IDLE_CONNECTION_MS,
      connectionsCheckingInterval: Math.min(1_000, config.request_timeout_ms),
    },
  }) as Server;
  limitRequests(server, connections);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, () => {
      server.off('error', reject);
      resolve({ server, connections, largeAnswers });
    });
  });
}

/**
 * Node starts every request of a connection as soon as it is parsed, and keeps the answers in memory until they are read. Requests
 * over the limit are refused without work, and the connection is closed after the answers before them. The others begin at the pace of
 * the event loop; the health check waits for none of them.
 */
function limitRequests(server: Server, connections: Connections): void {
  const [handle] = server.listeners('request') as RequestListener[];
  if (!handle) throw new TypeError('The server has no request listener.');
  const pace = new RequestPace();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    pace.accepted();
  });
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const { socket } = request;
    const key = keyOf(socket);
    response.once('close', () => connections.end(key));
    if (connections.begin(socket) > MAX_PIPELINED) {
      const message = `A connection can have ${MAX_PIPELINED} requests in progress. Read the answers before you send more.`;
      response.writeHead(429, {
        'content-type': 'application/json',
        'retry-after': '1',
        connection: 'close',
      });
      response.end(JSON.stringify({ code: 'RATE_LIMITED', message }));
      return;
    }
    if (request.url === '/healthz') handle(request, response);
    else pace.next(() => handle(request, response));
  });
}

/**
 * Spreads requests that arrive together over turns of the event loop. A turn accepts one connection, so a hundred connections take a hundred
 * turns: while they arrive, no request is begun, which would make every turn long. Then each turn begins one of those that wait.
 */
class RequestPace {
  readonly #waiting: (() => void)[] = [];
  /** Whether this turn accepted a connection. */
  #accepted = false;
  /** For how many turns connections have been arriving; 0 while none do. */
  #accepting = 0;
  /** When the first request of this turn began; null if there was none. */
  #turnBegan: number | null = null;
  #isScheduled = false;

  /** Must be called for each connection that is accepted. */
  accepted(): void {
    this.#accepted = true;
    this.#accepting ||= 1;
    this.#schedule();
  }

  /** Calls `begin` now or in one of the next turns, in the order of the calls. */
  next(begin: () => void): void {
    const now = performance.now();
    const isLong = this.#turnBegan !== null && now - this.#turnBegan > REQUEST_TURN_MS;
    this.#turnBegan ??= now;
    this.#schedule();
    if (this.#waiting.length > 0 || this.#accepting > 0 || isLong) this.#waiting.push(begin);
    else begin();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    this.#isScheduled = false;
    this.#turnBegan = null;
    const isOver = !this.#accepted || this.#accepting >= ACCEPTING_TURNS;
    this.#accepting = isOver ? 0 : this.#accepting + 1;
    this.#accepted = false;
    if (isOver) this.#waiting.shift()?.();
    if (!isOver || this.#waiting.length > 0) this.#schedule();
  }
}

/** Throws for a token of a tenant that the configuration does not list, or lists no more. */
function listed(caller: Caller | null, { tenants }: DaemonConfig): Caller | null {
  if (caller?.tenant !== undefined) checkListed(tenants, caller.tenant);
  return caller;
}

/** Idle connections are closed at once; those at work get the grace period, unless their client does not read. */
export function closeServer(
  { server, connections, largeAnswers }: Listening,
  config: DaemonConfig,
  clock: Clock,
): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(config.shutdown_timeout_ms, () => server.closeAllConnections());
    let stopLooking = () => {};
    const unsent = (socket: Socket) => `${socket.bytesWritten} ${socket.writableLength}`;
    const look = (before: ReadonlyMap<Socket, string>) => {
      const waiting = connections.sockets.filter(({ writableLength }) => writableLength > 0);
      for (const socket of waiting) if (before.get(socket) === unsent(socket)) socket.destroy();
      // Those that were at work when the server was closed.
      server.closeIdleConnections();
      const now = new Map(waiting.map((socket) => [socket, unsent(socket)]));
      stopLooking = clock.after(UNREAD_MS, () => look(now));
    };
    server.close(() => {
      cancel();
      stopLooking();
      resolve();
    });
    largeAnswers.close();
    look(new Map());
  });
}

async function readTls({ tls_cert, tls_key }: DaemonConfig): Promise<{ cert: Buffer; key: Buffer } | null> {
  if (tls_cert === undefined || tls_key === undefined) return null;
  const read = (path: string) =>
    readFile(path).catch((cause) => {
      throw new AmplifierError(
        `The file ${path} for TLS cannot be read: ${cause.message}. Correct tls_cert and tls_key.`,
        {
          code: 'INVALID_CONFIG',
          origin: path,
          cause,
        },
      );
    });
  return { cert: await read(tls_cert), key: await read(tls_key) };
}

export function urlOf({ host, tls_cert }: DaemonConfig, server: Server): string {
  const { port } = server.address() as AddressInfo;
  return `${tls_cert === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
