import { run, type Work } from '@amplifier/sessions';
import { expect, it, vi } from 'vitest';
import { installedVersion, startPostgres } from '../test-support/start-postgres.js';
import { tcpProxy } from '../test-support/tcp-proxy.js';
import { readAddress } from './postgres-address.js';
import { PostgresDatabase } from './postgres-database.js';
import { WriteLine } from './write-line.js';

vi.mock('./defaults.js', async (original) => ({ ...(await original<object>()), PATIENCE_MS: 1_000 }));

it('what may have been committed is refused and not run again when the server stays away', async () => {
  await using server = await startPostgres(installedVersion, []);
  const address = await server.createDatabase();
  await (await PostgresDatabase.open(address)).close();
  await using proxy = await tcpProxy(server.port);
  const { client } = readAddress(address.replace(/:\d+\//, `:${proxy.port}/`));
  const line = new WriteLine(client, 'the server', { onCommitted() {}, onTime() {} });
  let runs = 0;
  const lost = proxy.loseAnswerTo('COMMIT').then(() => proxy.refuse());
  const written = line.add(function* (): Work<void> {
    runs++;
    yield* run("INSERT INTO facts (name, value) VALUES ('once', 'x')");
  }, {});
  const refused = expect(written).rejects.toMatchObject({ code: 'STORAGE_FAILED', retryable: true });
  await lost;
  await refused;
  proxy.accept();
  // What comes next goes through, and the one before it has not been run again.
  expect(await line.add(() => run("UPDATE facts SET value = 'y' WHERE name = 'once'"), {})).toBe(1);
  expect(runs).toBe(1);
  await line.close();
});
