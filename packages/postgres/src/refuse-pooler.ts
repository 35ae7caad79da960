import { SessionError } from '@amplifier/sessions';
import type { Client, ClientConfig } from 'pg';
import { connect, cut } from './connect.js';

/** The process of the server that answers on this connection. */
async function backendOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

/** Does something stand between this process and the server? Only the server itself says the number that its own greeting had. */
export async function isPooled(client: Client): Promise<boolean> {
  return (await backendOf(client)) !== (client as unknown as { processID: number }).processID;
}

/**
 * A lock that says who is there, and news, belong to one connection of the server. A pooler in transaction mode lends that out: two
 * of our connections are then answered by the same one. In session mode they never are.
 */
export async function refusePooler(client: Client, config: ClientConfig, name: string): Promise<void> {
  if (!(await isPooled(client))) return;
  const first = await backendOf(client);
  for (let attempt = 0; attempt < 3; attempt++) {
    const other = await connect(config);
    try {
      if ((await backendOf(other)) === first) throw pooled(name);
    } finally {
      cut(other);
    }
  }
}

export function pooled(name: string): SessionError {
  return new SessionError(
    `The record ${name} is reached through a pooler in transaction mode, which cannot say who is there nor bring news. Give the server's own address as well: AMPLIFIER_DATABASE_DIRECT=postgres://… (or "direct" below "database" in the settings).`,
    { code: 'STORAGE_FAILED', origin: name },
  );
}
