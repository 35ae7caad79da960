import { runQueueConformance, sessionStoreConformance } from '@amplifier/sessions/conformance';
import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest';
import { queueHarness, reusedRecord, storeHarness } from './record-harness.js';
import { type ServerVersion, startPostgres, type TestPostgres } from './start-postgres.js';

/** Both suites on a server of this version, or every so many-th case of them. */
export function conformanceOn(version: ServerVersion, every = 1): void {
  describe(`on PostgreSQL, ${version}`, () => {
    let server: TestPostgres;
    let address: string;
    let record: Awaited<ReturnType<typeof reusedRecord>>;
    beforeAll(async () => {
      server = await startPostgres(version);
      address = await server.createDatabase();
      record = await reusedRecord(address);
    });
    beforeEach(() => record.empty());
    afterAll(async () => {
      await record?.close();
      await server?.[Symbol.asyncDispose]();
    });

    describe('the session store', () => {
      for (const { name, run } of sessionStoreConformance.filter((_, at) => at % every === 0))
        it(name, () => run(() => storeHarness(address)));
    });

    describe('the run queue', () => {
      for (const { name, run } of runQueueConformance.filter((_, at) => at % every === 0))
        it(name, () => run(() => queueHarness(address)));
    });
  });
}
