import { copyFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { all, openDatabase, openRunQueue, openSessionStore, run } from '@amplifier/sessions';
import { describe, expect, it } from 'vitest';
import { PowerCut } from '../../../sessions/test-support/power-cut.js';
import { RunBench } from '../../test-support/run-bench.js';
import { call, script } from '../../test-support/run-profile.js';

/** Starts the daemon on a record as a power cut left it, in another home. */
async function restartOn(bench: RunBench, record: string): Promise<void> {
  const home = bench.daemon.workspace.resolve('home-after');
  const file = `${home}/state/record.db`;
  await mkdir(dirname(file), { recursive: true });
  for (const end of ['', '-wal']) await copyFile(`${record}${end}`, `${file}${end}`);
  const database = await openDatabase(file);
  // So long ago that all leases have expired.
  await database.write(function* () {
    yield* run("UPDATE processes SET lease_until = 0, identity = json_set(identity, '$.boot', 'earlier')");
    const lease = "lease_until = '', process = json_set(process, '$.boot', 'earlier')";
    yield* run(`UPDATE runs SET ${lease} WHERE process IS NOT NULL`);
  });
  await database.close();
  await bench.daemon.restart({ environment: { AMPLIFIERD_HOME: home, RUN_TEST_KEY: 'sk-run-test' } });
}

/** What the audit of a record says was changed. */
async function auditOf(record: string): Promise<string[]> {
  await using database = await openDatabase(record);
  const sql = 'SELECT operation FROM audit ORDER BY n';
  const lines = await database.read(() => all<{ operation: string }>(sql));
  return lines.map(({ operation }) => operation);
}

describe('after a power cut', () => {
  it('a session and a run that were answered are there, each with its line of the audit', async () => {
    await using bench = await RunBench.start();
    using cut = new PowerCut(bench.daemon.record);
    const id = await bench.session();
    const created = cut.copy();
    await using store = await openSessionStore(created);
    expect(await store.has(id)).toBe(true);
    expect(await auditOf(created)).toContain('POST /api/v1/sessions');
    const { status, body } = await bench.run(id, '!hang');
    expect(status).toBe(202);
    const accepted = cut.copy();
    await using queue = await openRunQueue(accepted);
    expect(await queue.get(body.run_id)).toMatchObject({ session_id: id });
    expect(await auditOf(accepted)).toContain('POST /api/v1/sessions/{session_id}/runs');
  });

  it('a run whose end was answered ends alike, and its model is not called again', async () => {
    await using bench = await RunBench.start();
    using cut = new PowerCut(bench.daemon.record);
    const id = await bench.session();
    const { body } = await bench.run(id, script(call('list_files', {}), '!say Done.'), { wait: 60 });
    expect(body).toMatchObject({ status: 'completed', outcome: { text: 'Done.' } });
    const calls = bench.model.exchanges.length;
    await restartOn(bench, cut.copy());
    expect(await bench.ended(id, body.run_id)).toMatchObject({
      status: 'completed',
      outcome: { text: 'Done.' },
    });
    expect(bench.model.exchanges).toHaveLength(calls);
  });

  it('a run that had to be cancelled is cancelled', async () => {
    await using bench = await RunBench.start();
    using cut = new PowerCut(bench.daemon.record);
    const id = await bench.session();
    const { body } = await bench.run(id, '!hang');
    const path = `/api/v1/sessions/${id}/runs/${body.run_id}/cancel`;
    const cancelled = await bench.daemon.post(path, { mode: 'immediate', wait: 60 });
    expect(cancelled.body).toMatchObject({ status: 'cancelled' });
    await restartOn(bench, cut.copy());
    expect(await bench.ended(id, body.run_id)).toMatchObject({ status: 'cancelled' });
  });
});
