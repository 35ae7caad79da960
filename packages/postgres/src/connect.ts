import pg, { type Client, type ClientConfig } from 'pg';
import { CONNECT_MS, STATEMENT_MS } from './defaults.js';

/** Counts and keys are numbers of JavaScript: the record has fewer rows than those can tell apart. */
const NUMBERS = [20, 1700];

const types: ClientConfig['types'] = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    NUMBERS.includes(oid) ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

export function clientConfig(config: ClientConfig): ClientConfig {
  return {
    ...config,
    types: types as NonNullable<ClientConfig['types']>,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS + 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  };
}

/** A connection of its own. What happens to it later is met by whoever uses it. */
export async function connect(config: ClientConfig): Promise<Client> {
  const client = new pg.Client(clientConfig(config));
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** The connection is of no use any more: it is cut, whether or not the other side answers. */
export function cut(client: Client): void {
  client.end().catch(() => {});
  (client as unknown as { connection?: { stream?: { destroy(): void } } }).connection?.stream?.destroy();
}

/** Does an idle connection keep this process alive? Only while somebody waits for an answer. */
export function holdsProcess(client: Client, does: boolean): void {
  const { ref, unref } = client as unknown as Record<'ref' | 'unref', () => void>;
  (does ? ref : unref).call(client);
}
