import type { Client } from '@modelcontextprotocol/client';
import type { McpServer } from './mcp-server.js';

interface SharedConnection {
  client: Promise<Client>;
  users: Set<McpServer>;
}

/** The live connections of this process, by who may share them. */
const connections = new Map<string, SharedConnection>();

/** The connection of that name, made where there is none. `connect` gets what to call when the connection was lost. */
export function joinConnection(
  name: string,
  user: McpServer,
  connect: (lost: () => void) => Promise<Client>,
): Promise<Client> {
  const known = connections.get(name);
  if (known) {
    known.users.add(user);
    return known.client;
  }
  const lost = () => {
    if (connections.get(name) === made) connections.delete(name);
  };
  const made: SharedConnection = { users: new Set([user]), client: connect(lost) };
  connections.set(name, made);
  made.client.catch(lost);
  return made.client;
}

/** The last one to leave closes it. */
export async function leaveConnection(name: string, user: McpServer): Promise<void> {
  const known = connections.get(name);
  if (!known?.users.delete(user) || known.users.size > 0) return;
  connections.delete(name);
  // One that never came up has nothing to close.
  const client = await known.client.catch(() => null);
  await client?.close();
}

/** Everybody who uses it now. */
export function usersOf(name: string): readonly McpServer[] {
  return [...(connections.get(name)?.users ?? [])];
}
