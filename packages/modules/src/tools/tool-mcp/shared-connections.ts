import type { Client, Tool } from '@modelcontextprotocol/client';

/** Who uses a connection: the server of one session. */
export interface ConnectionUser {
  /** What the server offers has changed; the error where it could not be listed. */
  toolsChanged(error: Error | null, tools: Tool[] | null): void;
}

interface SharedConnection {
  client: Promise<Client>;
  users: Set<ConnectionUser>;
  /** Ends the attempt to connect. */
  stop: AbortController;
  /** The server of the tree for which somebody waited in vain. */
  slow: string | null;
  state: 'connecting' | 'up' | 'failed';
}

/** The connections of this process, by who may share them. */
const connections = new Map<string, SharedConnection>();

/**
 * The connection of that name, made where there is none. One that failed is tried again only for those who were told of it:
 * a child need not wait for what its parent waited for in vain. `connect` gets what to call when the connection was lost, and
 * a signal that ends the attempt.
 */
export function joinConnection(
  name: string,
  user: ConnectionUser,
  connect: (lost: () => void, stop: AbortSignal) => Promise<Client>,
): Promise<Client> {
  const known = connections.get(name);
  if (known && !(known.state === 'failed' && known.users.has(user))) {
    known.users.add(user);
    return known.client;
  }
  const lost = () => {
    if (made.state === 'up' && connections.get(name) === made) connections.delete(name);
  };
  const stop = new AbortController();
  const users = new Set(known?.users).add(user);
  const made: SharedConnection = {
    users,
    client: connect(lost, stop.signal),
    stop,
    slow: null,
    state: 'connecting',
  };
  connections.set(name, made);
  made.client.then(
    () => {
      made.state = 'up';
    },
    () => {
      made.state = 'failed';
    },
  );
  return made.client;
}

/** The last one to leave closes it. */
export async function leaveConnection(name: string, user: ConnectionUser): Promise<void> {
  const known = connections.get(name);
  if (!known?.users.delete(user) || known.users.size > 0) return;
  connections.delete(name);
  known.stop.abort();
  // One that never came up has nothing to close.
  const client = await known.client.catch(() => null);
  await client?.close();
}

/** Of a server, whatever its users may do: nobody else of the tree waits for it. */
export function noteSlow(name: string, server: string | null): void {
  const known = connections.get(name);
  if (known) known.slow = server;
}

export function isSlow(server: string): boolean {
  return [...connections.values()].some(({ slow }) => slow === server);
}

/** Everybody who uses it now. */
export function usersOf(name: string): readonly ConnectionUser[] {
  return [...(connections.get(name)?.users ?? [])];
}
