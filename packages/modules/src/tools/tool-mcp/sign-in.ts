import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sameOriginFetch } from '../../providers/same-origin-fetch.js';
import { type LoginOptions, StoredLogin } from './stored-login.js';

const DONE = 'You are signed in. You can close this window.';
const NOT_DONE = 'The sign-in was not completed. Look at the terminal.';

/**
 * Signs a person in at an MCP server: shows them the server's page by `open`, waits until it sends them back to this machine, and
 * stores what it gave. Resolves with the number of tools the server offers then. Rejects when the server refuses, or on `signal`.
 */
export async function signInToServer(
  options: LoginOptions,
  open: (url: URL) => void,
  signal: AbortSignal,
): Promise<number> {
  const { Client, StreamableHTTPClientTransport, UnauthorizedError } = await import(
    '@modelcontextprotocol/client'
  );
  const back = createServer().listen(0, '127.0.0.1');
  await once(back, 'listening');
  const redirectUrl = `http://127.0.0.1:${(back.address() as AddressInfo).port}/callback`;
  const login = new StoredLogin(options, { redirectUrl, open });
  // The address to be sent back to is new each time, and belongs to what the server knows of us.
  await login.invalidateCredentials('all');
  const transport = () =>
    new StreamableHTTPClientTransport(new URL(options.url), { authProvider: login, fetch: sameOriginFetch });
  const client = () => new Client({ name: 'amplifier', version: '0.1.0' });
  try {
    const first = transport();
    const refused = await client()
      .connect(first)
      .then(
        () => null,
        (error: unknown) => error,
      );
    if (refused !== null && !(refused instanceof UnauthorizedError)) throw refused;
    if (refused !== null) await first.finishAuth(await sentBack(back, login.state(), signal));
    await first.close();
    const known = client();
    await known.connect(transport());
    const { tools } = await known.listTools();
    await known.close();
    return tools.length;
  } finally {
    back.closeAllConnections();
    back.close();
  }
}

/** What the server says with the person it sends back. Only an answer to this very sign-in is taken. */
async function sentBack(
  server: ReturnType<typeof createServer>,
  state: string,
  signal: AbortSignal,
): Promise<URLSearchParams> {
  for (;;) {
    const [request, response] = await once(server, 'request', { signal });
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const isOurs = pathname === '/callback' && searchParams.get('state') === state;
    const isDone = isOurs && searchParams.has('code');
    response.writeHead(isDone ? 200 : 400, { 'content-type': 'text/plain', connection: 'close' });
    response.end(isDone ? DONE : NOT_DONE);
    if (isDone) return searchParams;
    if (isOurs) throw new Error(`The server refused: ${searchParams.get('error') ?? 'it gave no code'}.`);
  }
}
