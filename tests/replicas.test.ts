import { readFile } from 'node:fs/promises';
import { Host } from '@amplifier/host';
import { SessionError } from '@amplifier/sessions';
import { TempWorkspace } from '@amplifier/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { CliSandbox } from '../packages/cli/test-support/run-cli.js';
import { createClient, LiveMessages } from '../packages/daemon/src/client/index.js';
import { serverCommands } from '../packages/daemon/src/commands/server-commands.js';
import { daemonHome } from '../packages/daemon/src/config.js';
import { SessionRuntime } from '../packages/daemon/src/runs/session-runtime.js';
import { EventReader } from '../packages/daemon/test-support/event-reader.js';
import { RunBench } from '../packages/daemon/test-support/run-bench.js';
import { call, delegate, script } from '../packages/daemon/test-support/run-profile.js';
import { spend, TenantScene, TenantTrial } from '../packages/daemon/test-support/tenant-trials.js';
import { TestDaemon } from '../packages/daemon/test-support/test-daemon.js';
import { WebhookReceiver } from '../packages/daemon/test-support/webhook-receiver.js';
import { bareClient } from '../packages/postgres/test-support/bare-client.js';
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

it('the command of the daemon makes the token of a tenant on a server', async () => {
  await using workspace = await TempWorkspace.create();
  const home = daemonHome({ AMPLIFIERD_HOME: workspace.path });
  await workspace.write('config/daemon.yaml', 'tenants: { ours: { working_roots: [work] } }\n');
  const environment = { AMPLIFIER_DATABASE: withPassword(await server.createDatabase()) };
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const program = { home, environment, print, say: () => {} };
  const wanted = { scope: 'run' as const, name: 'one', tenant: 'ours' };
  expect(await serverCommands.createToken(program, wanted)).toBe(0);
  expect(await serverCommands.listTokens(program)).toBe(0);
  expect(lines).toEqual([expect.any(String), expect.stringMatching(/ours {2}one$/)]);
});

it('a run is accepted by one daemon and answered, queued behind, cancelled and read at another', async () => {
  const address = withPassword(await server.createDatabase());
  const write = call('write_file', { file_path: 'a.txt', content: 'x' });
  const flags = { rate_limit_per_second: 0 };
  await using a = await RunBench.start({ ...flags, places: ['here'] }, { AMPLIFIER_DATABASE: address });
  await using b = await RunBench.start({ ...flags, places: ['there'] }, { AMPLIFIER_DATABASE: address });
  const id = await a.session({ place: 'there', working_dir: b.daemon.work });
  const { run_id } = (await a.run(id, script(write, '!say Done.'))).body;
  const { approval_id } = await b.approval(id);
  expect((await b.answer(id, approval_id)).status).toBe(200);
  expect(await b.ended(id, run_id)).toMatchObject({ status: 'completed' });
  expect(await a.ended(id, run_id)).toMatchObject({ status: 'completed' });
  expect((await b.events(id)).map(({ name }) => name)).toEqual((await a.events(id)).map(({ name }) => name));

  const second = (await b.run(id, script(write, '!say Second.'))).body.run_id;
  const asked = await a.approval(id);
  // A child beside the turn is stopped by itself, and the turn is not.
  const aside = { agent: 'scribe', instruction: script(write, '!say Aside.'), context_depth: 'none' };
  const child = (await a.daemon.post(`/api/v1/sessions/${id}/delegate`, aside)).body.run_id;
  await a.approval(id, [asked.approval_id]);
  await a.daemon.post(`/api/v1/sessions/${id}/runs/${child}/cancel`, { mode: 'immediate' });
  expect(await a.ended(id, child)).toMatchObject({ status: 'cancelled' });
  expect((await a.daemon.get(`/api/v1/sessions/${id}/runs/${second}`)).body.status).toBe('running');
  const queued = (await a.run(id, '!say Third.', { busy: 'queue' })).body.run_id;
  // One that is taken out of the line at a daemon that does not have the session.
  const unwanted = (await a.run(id, '!say Never.', { busy: 'queue' })).body.run_id;
  expect((await a.daemon.post(`/api/v1/sessions/${id}/runs/${unwanted}/cancel`, {})).body.status).toBe(
    'cancelled',
  );
  const said = async () =>
    (await a.events(id)).flatMap(({ name, data }) => (data.run_id === unwanted ? name : []));
  await expect.poll(said, { timeout: 60_000 }).toEqual(['run:queued', 'run:ended']);
  expect((await a.daemon.get(`/api/v1/sessions/${id}/runs/${second}`)).body.status).toBe('running');
  // Nor is a child that another run delegated to stopped with the turn.
  const beside = (await a.daemon.post(`/api/v1/sessions/${id}/delegate`, aside)).body.run_id;
  const open = await a.approval(id, [asked.approval_id]);
  const stopped = await a.daemon.post(`/api/v1/sessions/${id}/runs/${second}/cancel`, { mode: 'immediate' });
  expect(stopped.status).toBeLessThan(300);
  expect(await b.ended(id, second)).toMatchObject({ status: 'cancelled' });
  await a.answer(open.session_id, open.approval_id);
  expect(await a.ended(id, beside)).toMatchObject({ status: 'completed' });
  expect(await b.ended(id, queued)).toMatchObject({ status: 'completed' });
  const ready = (await a.daemon.get('/readyz')).text;
  expect(ready).toContain('connection to the record');
  expect([...a.daemon.log, ...b.daemon.log].join('\n')).not.toContain(PASSWORD);
});

it('a run that two daemons take on at the same time is queued once', async () => {
  const environment = { AMPLIFIER_DATABASE: await server.createDatabase() };
  await using a = await RunBench.start({}, environment);
  await using b = await RunBench.start({}, environment);
  const id = await a.session({ working_dir: undefined });
  const send = (bench: RunBench) => bench.run(id, '!say Well.', { run_id: 'run_sent-twice', wait: 60 });
  // One has looked whether it is there, and goes on when the other is done with it.
  const trust = vi.spyOn(SessionRuntime.prototype, 'requireTrust').mockImplementationOnce(async () => {
    expect((await send(b)).body.status).toBe('completed');
  });
  expect((await send(a)).body.status).toBe('completed');
  trust.mockRestore();
  const names = (await a.events(id)).map(({ name }) => name).filter((name) => name.startsWith('run:'));
  expect(names).toEqual(['run:queued', 'run:started', 'run:ended']);
});

it('a daemon whose run was taken from it writes nothing more of it, not even that it was stopped', async () => {
  const address = await server.createDatabase();
  await using bench = await RunBench.start({}, { AMPLIFIER_DATABASE: address });
  const client = await bareClient(address);
  const id = await bench.session();
  const write = call('write_file', { file_path: 'a.txt', content: 'x' });
  const child = delegate({ agent: 'scribe', instruction: script(write, '!say Written.') });
  const { run_id } = (await bench.run(id, script(child, '!say Done.'))).body;
  const asked = await bench.approval(id);
  // As if another had claimed it, which took this one for dead, and has not come to open the session.
  await client.query(`UPDATE runs SET token = token + 1 WHERE run_id = $1`, [run_id]);
  await expect.poll(() => bench.daemon.log.join('\n'), { timeout: 100_000 }).toContain('LEASE_LOST');
  await client.query(`UPDATE runs SET lease_until = '2000' WHERE run_id = $1`, [run_id]);
  await client.end();
  expect((await bench.answer(asked.session_id, asked.approval_id)).status).toBe(200);
  const ended = await bench.ended(id, run_id);
  expect([ended.status, ended.outcome.text]).toEqual(['completed', 'Done.']);
  const told = [...(await bench.events(id)), ...(await bench.events(asked.session_id))];
  expect(told.filter(({ data }) => JSON.stringify(data).includes('ancelled'))).toEqual([]);
});

it('a run that was given back, because its session was busy elsewhere, is begun again under another id', async () => {
  const address = await server.createDatabase();
  await using bench = await RunBench.start({}, { AMPLIFIER_DATABASE: address });
  const id = await bench.session();
  const client = await bareClient(address);
  const busy = new SessionError('It is at work elsewhere.', { code: 'SESSION_LOCKED' });
  const spy = vi
    .spyOn(Host.prototype, 'delegate')
    .mockImplementationOnce(async () => {
      // As if others had claimed it meanwhile, and died before they began.
      await client.query('UPDATE runs SET attempts = attempts + 2');
      await client.end();
      throw busy;
    })
    .mockRejectedValueOnce(busy);
  const body = { agent: 'scribe', instruction: '!say Well.', context_depth: 'none', wait: 60 };
  const run = (await bench.daemon.post(`/api/v1/sessions/${id}/delegate`, body)).body;
  expect([run.status, spy.mock.calls.length]).toEqual(['completed', 3]);
  spy.mockRestore();
  const started = (await bench.events(id)).filter(({ name }) => name === 'run:started');
  expect([started.length, new Set(started.map((event) => event.id)).size]).toEqual([3, 3]);
});

it('tenants on a server see nothing of each other, and their limits hold at all daemons', async () => {
  const address = await server.createDatabase();
  const flags = {
    rate_limit_per_second: 0,
    allow_private_webhooks: true,
    tenants: {
      'team-a': {},
      'team-b': {},
      'team-c': { max_active: 1 },
      'team-d': { tokens_per_day: 1_000_000 },
    },
  };
  await using a = await RunBench.start(flags, { AMPLIFIER_DATABASE: address });
  await using b = await RunBench.start(flags, { AMPLIFIER_DATABASE: address });
  const team = async (tenant: string) => {
    const { token } = (await a.daemon.post('/api/v1/tokens', { scope: 'admin', tenant })).body;
    return (bench: RunBench, method: string, path: string, body?: object) =>
      bench.daemon.call(method, path, body, { headers: { authorization: `Bearer ${token}` } });
  };
  const [c, d] = [await team('team-c'), await team('team-d')];
  const begin = async (ask: typeof c, bench: RunBench, instruction: string, wait?: number) => {
    const created = await ask(bench, 'POST', '/api/v1/sessions', { profile_id: 'local/worker' });
    const path = `/api/v1/sessions/${created.body.session_id}/runs`;
    return ask(bench, 'POST', path, { instruction, ...(wait ? { wait } : {}) });
  };
  const write = call('write_file', { file_path: 'a.txt', content: 'x' });
  const first = (await begin(c, a, script(write, '!say Done.'))).body;
  const { approval_id } = await b.approval(first.session_id);
  const second = (await begin(c, b, '!say Well.')).body;
  // One of the operator's came later, and does not wait.
  expect(
    (await b.run(await b.session({ working_dir: undefined }), '!say Mine.', { wait: 60 })).body.status,
  ).toBe('completed');
  expect((await c(a, 'GET', `/api/v1/runs/${second.run_id}`)).body.status).toBe('queued');
  await a.answer(first.session_id, approval_id);
  expect((await b.ended(second.session_id, second.run_id)).status).toBe('completed');
  expect((await begin(d, a, '!say Well.', 60)).status).toBe(200);
  await spend(a, 'team-d', 999_000);
  expect((await begin(d, b, '!say Well.')).body).toMatchObject({ code: 'BUDGET_SPENT' });
  await using scene = await TenantScene.open(a);
  for (const [who, other] of [
    [0, 1],
    [1, 0],
  ] as const) {
    const before = await scene.stateOf(scene.teams[other]);
    for (const trial of fc.sample(TenantTrial, { numRuns: 15, seed: 24 + who }))
      expect(await scene.run(who, trial)).toBeNull();
    expect(await scene.stateOf(scene.teams[other])).toBe(before);
  }
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

it('a stream without a position has every event stored after its headers, however late its daemon reads the record', async () => {
  const address = await server.createDatabase();
  await using proxy = await tcpProxy(server.port);
  const through = address.replace(/:\d+\//, `:${proxy.port}/`);
  await using a = await RunBench.start({}, { AMPLIFIER_DATABASE: through });
  await using b = await RunBench.start({ rate_limit_per_second: 0 }, { AMPLIFIER_DATABASE: address });
  const { url, token } = a.daemon.daemon;
  proxy.stop();
  let isOpen = false;
  const opening = EventReader.open(`${url}/api/v1/events`, token).finally(() => {
    isOpen = true;
  });
  const expected: string[] = [];
  for (let at = 0; at < 5; at++) {
    const isDue = isOpen;
    const id = await b.session();
    if (isDue) expected.push(id);
  }
  proxy.go();
  await using stream = await opening;
  const last = await b.session();
  await stream.until(({ event, data }) => event === 'session:created' && data.session_id === last);
  const created = stream.events.filter(({ event }) => event === 'session:created');
  expect(created.map(({ data }) => data.session_id)).toEqual(expect.arrayContaining([...expected, last]));
});

it('tokens, keys of requests and webhooks are the same at every daemon, and one of them tells', async () => {
  const environment = { AMPLIFIER_DATABASE: await server.createDatabase() };
  const flags = { allow_private_webhooks: true };
  await using a = await RunBench.start(flags, environment);
  await using b = await RunBench.start(flags, environment);

  const made = (await a.daemon.post('/api/v1/tokens', { scope: 'read' })).body;
  const as = { headers: { authorization: `Bearer ${made.token}` } };
  expect((await b.daemon.get('/api/v1/sessions', as)).status).toBe(200);
  expect((await b.daemon.call('DELETE', `/api/v1/tokens/${made.id}`)).status).toBe(204);
  expect((await a.daemon.get('/api/v1/sessions', as)).status).toBe(401);

  const token = (await a.daemon.post('/api/v1/tokens', { scope: 'run' })).body.token;
  const keyed = { headers: { authorization: `Bearer ${token}`, 'idempotency-key': 'once' } };
  const create = ({ daemon }: RunBench) =>
    daemon.post('/api/v1/sessions', { profile_id: 'local/worker' }, keyed);
  const first = await Promise.all([a, b, a, b].map(create));
  for (const { status } of first) expect([201, 409]).toContain(status);
  const ids = new Set(
    [...first, await create(a), await create(b)].flatMap(({ body }) => body.session_id ?? []),
  );
  expect(ids.size).toBe(1);

  await using receiver = await WebhookReceiver.start();
  const wish = { url: receiver.url, events: ['session:updated'] };
  const hook = (await b.daemon.post('/api/v1/webhooks', wish)).body;
  receiver.secret = hook.secret;
  const [id] = ids;
  const rename = ({ daemon }: RunBench, name: string) =>
    daemon.call('PATCH', `/api/v1/sessions/${id}`, { name });
  for (const [at, bench] of [a, b, a, b].entries())
    expect((await rename(bench, `name ${at}`)).status).toBe(200);
  await receiver.until(({ length }) => length >= 4);
  const listed = async () => (await a.daemon.get(`/api/v1/webhooks/${hook.id}/deliveries`)).body;
  await expect.poll(listed, { timeout: 60_000 }).toMatchObject(Array(4).fill({ status: 'delivered' }));
  expect(new Set(receiver.received.map((each) => each.id)).size).toBe(4);
  expect(receiver.received).toHaveLength(4);
  // The other one goes on where the one that told has gone, from the very event.
  await b.daemon[Symbol.asyncDispose]();
  expect((await rename(a, 'last')).status).toBe(200);
  await receiver.until(({ length }) => length >= 5);
  const [last] = await listed();
  expect((await a.daemon.post(`/api/v1/webhooks/${hook.id}/deliveries/${last.id}/redeliver`)).status).toBe(
    202,
  );
  await receiver.until(({ length }) => length >= 6);
  expect(receiver.received.slice(4).map((each) => each.id)).toEqual([last.id, last.id]);
});

it('a run is executed where its folder is: it waits for a worker of that pool', async () => {
  const environment = { AMPLIFIER_DATABASE: await server.createDatabase(), RUN_TEST_KEY: 'sk-run-test' };
  await using a = await RunBench.start({ places: ['web'] }, environment);
  await using builder = await TestDaemon.start();
  // A folder that the first daemon does not know, and would not let anybody work in.
  const id = await a.session({ working_dir: builder.work, place: 'build' });
  const write = call('write_file', { file_path: 'built.txt', content: 'x' });
  const { run_id } = (await a.run(id, script(write, '!say Done.'))).body;
  const here = (await a.run(await a.session(), '!say Here.', { wait: 60 })).body;
  expect(here.status).toBe('completed');
  const { record } = (await a.daemon.get('/readyz')).body;
  expect(record).toMatchObject({ kind: 'server', waiting: 1, running: 0 });
  expect((await a.daemon.get('/metrics')).text).toContain('amplifierd_runs_waiting{place="build"} 1');
  await builder.restart({
    isWorker: true,
    environment: { AMPLIFIERD_HOME: builder.home, ...environment },
    flags: { places: 'build', shutdown_timeout_ms: 0 },
  });
  await a.answer(id, (await a.approval(id)).approval_id);
  expect(await a.ended(id, run_id)).toMatchObject({ status: 'completed' });
  expect(await readFile(`${builder.work}/built.txt`, 'utf8')).toBe('x');
});

it('text is read along at a daemon that does not write it, from the first word that was missed', async () => {
  const environment = { AMPLIFIER_DATABASE: await server.createDatabase() };
  await using a = await RunBench.start({ places: ['here'] }, environment);
  await using b = await RunBench.start({ places: ['there'] }, environment);
  const id = await a.session({ place: 'here' });
  await a.run(id, script(['!say Once upon a time', '!hang midway']));
  const stop = new AbortController();
  const fold = new LiveMessages();
  for await (const item of createClient(b.daemon.daemon).followLive({
    session_id: id,
    signal: stop.signal,
  })) {
    fold.take(item);
    if (fold.get(id)?.text === 'Once upon a time') await b.daemon.post(`/api/v1/sessions/${id}/cancel`, {});
    if (item.kind === 'message_end') break;
  }
  stop.abort();
  expect(fold.get(id)).toBeNull();
  // Whoever is no daemon of this record gets nothing there.
  const asked = await fetch(`${a.daemon.daemon.url}/api/v1/live`);
  expect(asked.status).toBe(401);
});
