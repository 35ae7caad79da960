import pg from 'pg';

export type BareClient = pg.Client;

/** A connection to a database as anybody has it, without anything of ours. Not being able to connect rejects. */
export async function bareClient(address: string): Promise<BareClient> {
  const client = new pg.Client(address);
  client.on('error', () => {});
  await client.connect();
  return client;
}
