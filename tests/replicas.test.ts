import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { CliSandbox } from '../packages/cli/test-support/run-cli.js';
import { RunBench } from '../packages/daemon/torture/run-bench.js';
import { call, script } from '../packages/daemon/torture/run-profile.js';
import {
  installedVersion,
  startPostgres,
  type TestPostgres,
} from '../packages/postgres/test-support/start-postgres.js';
import { tcpProxy } from '../packages/postgres/test-support/tcp-proxy.js';

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres(installedVersion);
});
afterAll(() => server?.[Symbol.asyncDispose]());

const PASSWORD = 'correct-horse-battery';
const withPassword = (address: string) => address.replace('postgres@', `postgres:${PASSWORD}@`);

it('the command line works on a server as on a file, by the environment or the settings, and no log has the password', async () => {
  const address = withPassword(await server.createDatabase());
  await using box = await CliSandbox.create({ 'a.txt': 'A' });
  const env = { AMPLIFIER_DATABASE: address };
  const ran = await box.run(['run', '--offline', '--json', 'read a.txt'], { env });
  expect([ran.code, ran.stderr]).toEqual([0, expect.not.stringContaining(PASSWORD)]);
  await box.home.write(
    'settings.yaml',
    `database: { url: "${address.replace(PASSWORD, '${DATABASE_WORD}')}" }\n`,
  );
  const listed = await box.run(['session', 'list', '--json'], { env: { DATABASE_WORD: PASSWORD } });
  expect(listed.json().sessions).toMatchObject([{ session_id: ran.json().session_id }]);
  const verified = await box.run(['record', 'verify', '--json'], { env });
  expect(verified.json()).toMatchObject({ sessions: 1, problems: [] });
  const wrong = address.replace(/\/test_\w+/, '/nothing');
  const refused = await box.run(['session', 'list'], { env: { AMPLIFIER_DATABASE: wrong } });
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/database "nothing" does not exist/),
  ]);
  expect(refused.stderr).not.toContain(PASSWORD);
});

it('a run is accepted by one daemon and answered, queued behind, cancelled and read at another', async () => {
  const address = withPassword(await server.createDatabase());
  const write = call('write_file', { file_path: 'a.txt', content: 'x' });
  const flags = { rate_limit_per_second: 0 };
  await using a = await RunBench.start(flags, { AMPLIFIER_DATABASE: address });
  // Both see the folder that sessions work in.
  const shared = { ...flags, runs: { working_roots: [a.daemon.work] } };
  await using b = await RunBench.start(shared, { AMPLIFIER_DATABASE: address });
  const id = await a.session();
  const { run_id } = (await a.run(id, script(write, '!say Done.'))).body;
  const { approval_id } = await b.approval(id);
  expect((await b.answer(id, approval_id)).status).toBe(200);
  expect(await b.ended(id, run_id)).toMatchObject({ status: 'completed' });
  expect(await a.ended(id, run_id)).toMatchObject({ status: 'completed' });
  expect((await b.events(id)).map(({ name }) => name)).toEqual((await a.events(id)).map(({ name }) => name));

  const second = (await b.run(id, script(write, '!say Second.'))).body.run_id;
  await a.approval(id);
  const queued = (await a.run(id, '!say Third.', { busy: 'queue' })).body.run_id;
  const stopped = await a.daemon.post(`/api/v1/sessions/${id}/runs/${second}/cancel`, { mode: 'immediate' });
  expect(stopped.status).toBeLessThan(300);
  expect(await b.ended(id, second)).toMatchObject({ status: 'cancelled' });
  expect(await b.ended(id, queued)).toMatchObject({ status: 'completed' });
  const ready = (await a.daemon.get('/readyz')).text;
  expect(ready).toContain('connection to the record');
  expect([...a.daemon.log, ...b.daemon.log].join('\n')).not.toContain(PASSWORD);
});

it('a daemon whose server cannot be reached for a while says so at /readyz, and goes on by itself', async () => {
  const address = await server.createDatabase();
  await using proxy = await tcpProxy(server.port);
  const through = address.replace(/:\d+\//, `:${proxy.port}/`);
  await using bench = await RunBench.start({ rate_limit_per_second: 0 }, { AMPLIFIER_DATABASE: through });
  const id = await bench.session();
  const ready = async (status: number, state: RegExp) => {
    const answer = await bench.daemon.get('/readyz');
    const loop = answer.body.loops?.find(({ name }: { name: string }) => name === 'connection to the record');
    expect([answer.status, loop?.state]).toEqual([status, expect.stringMatching(state)]);
  };
  const soon = { timeout: 100_000, interval: 20 };
  await vi.waitFor(() => ready(200, /waiting|serving/), soon);
  proxy.refuse();
  await vi.waitFor(() => ready(503, /retrying/), soon);
  proxy.accept();
  await vi.waitFor(() => ready(200, /waiting|serving/), soon);
  expect((await bench.run(id, '!say Here again.', { wait: 60 })).body).toMatchObject({ status: 'completed' });
});
