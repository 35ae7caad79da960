import { randomUUID } from 'node:crypto';
import {
  type AuthInfo,
  type JSONRPCMessage,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { HTTP_SESSIONS } from '../defaults.js';
import { IdsInFlight, reusedIdError } from './ids-in-flight.js';

interface Session {
  transport: WebStandardStreamableHTTPServerTransport;
  /** Whose token began it. For everybody else it is not there. */
  owner: string | null;
  ids: IdsInFlight;
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

  /** `body`: that of the request, which has been read and parsed; undefined where it has none. */
  async fetch(request: Request, auth: AuthInfo | null, body: unknown): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) return this.#begin(request, auth, body);
    const session = this.#sessions.get(id);
    if (!session || session.owner !== ownerIn(auth)) return gone();
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return answer(session, request, auth, body);
  }

  async close(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(sessions.map((session) => session.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #begin(request: Request, auth: AuthInfo | null, body: unknown): Promise<Response> {
    const server = await this.#factory({ era: 'legacy', requestInfo: request });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => this.#keep(id, session),
      onsessionclosed: (id) => {
        this.#sessions.delete(id);
      },
    });
    await server.connect(transport);
    const ids = new IdsInFlight();
    const session: Session = { transport, owner: ownerIn(auth), ids, close: () => server.close() };
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      ids.sent(message);
      return send(message, options);
    };
    const response = await answer(session, request, auth, body);
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

async function answer(
  { transport, ids }: Session,
  request: Request,
  auth: AuthInfo | null,
  body: unknown,
): Promise<Response> {
  const options = {
    ...(auth ? { authInfo: auth } : {}),
    ...(body === undefined ? {} : { parsedBody: body }),
  };
  for (const message of [body].flat()) if (isMessage(message)) ids.received(message);
  const begun = ids.begin(body);
  if ('reused' in begun) {
    const error = reusedIdError(begun.reused);
    return Response.json({ jsonrpc: '2.0', id: begun.reused, error }, { status: 400 });
  }
  const response = await transport.handleRequest(request, options);
  if (!response.ok) ids.end(begun.taken);
  return response;
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === 'object' && value !== null && 'method' in value;
}

function ownerIn(auth: AuthInfo | null): string | null {
  return auth?.clientId ?? null;
}

/** The client has to begin again, and knows it by this status. */
function gone(): Response {
  const error = { code: -32001, message: 'This session is not known here any more. Initialize again.' };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
}
