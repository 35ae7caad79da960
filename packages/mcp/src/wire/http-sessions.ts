import { randomUUID } from 'node:crypto';
import {
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { HTTP_SESSIONS } from '../defaults.js';

interface Session {
  transport: WebStandardStreamableHTTPServerTransport;
  close(): Promise<void>;
}

/**
 * Clients of the older protocol over HTTP, each with a session of its own: only so can a call be cancelled, and its caller
 * be asked, by another request. The newer protocol needs none of this.
 */
export class HttpSessions implements AsyncDisposable {
  #factory: McpServerFactory;
  /** The one used longest ago first. */
  #sessions = new Map<string, Session>();

  constructor(factory: McpServerFactory) {
    this.#factory = factory;
  }

  async fetch(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) return this.#begin(request);
    const session = this.#sessions.get(id);
    if (!session) return gone();
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session.transport.handleRequest(request);
  }

  async close(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(sessions.map((session) => session.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #begin(request: Request): Promise<Response> {
    const server = await this.#factory({ era: 'legacy', requestInfo: request });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => this.#keep(id, { transport, close: () => server.close() }),
      onsessionclosed: (id) => {
        this.#sessions.delete(id);
      },
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request);
    // Anything but a proper beginning leaves no session behind.
    if (transport.sessionId === undefined) await server.close();
    return response;
  }

  async #keep(id: string, session: Session): Promise<void> {
    this.#sessions.set(id, session);
    const [oldest] = this.#sessions;
    if (this.#sessions.size <= HTTP_SESSIONS || !oldest) return;
    this.#sessions.delete(oldest[0]);
    await oldest[1].close();
  }
}

/** The client has to begin again, and knows it by this status. */
function gone(): Response {
  const error = { code: -32001, message: 'This session is not known here any more. Initialize again.' };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
}
