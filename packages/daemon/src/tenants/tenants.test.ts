import { mkdir, rm, symlink } from 'node:fs/promises';
import { run, shareDatabase } from '@amplifier/sessions';
import { openLink } from '@amplifier/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RunBench } from '../../test-support/run-bench.js';
import { call, script } from '../../test-support/run-profile.js';
import { spend } from '../../test-support/tenant-trials.js';
import { serverCommands } from '../commands/server-commands.js';

let bench: RunBench;
let tokens: Record<'a' | 'b', string>;
beforeAll(async () => {
  bench = await RunBench.start({ rate_limit_per_second: 0 });
  const folder = (name: string) => bench.daemon.workspace.resolve(name);
  await mkdir(folder('of-b'));
  await bench.restart({
    rate_limit_per_second: 0,
    tenants: {
      'team-a': { tokens_per_day: 10_000_000, each_token: { tokens_per_day: 1_000_000 } },
      'team-b': { working_dir: folder('of-b'), max_active: 1 },
    },
  });
  const make = async (tenant: string) =>
    (await bench.daemon.post('/api/v1/tokens', { scope: 'admin', tenant })).body.token as string;
  tokens = { a: await make('team-a'), b: await make('team-b') };
});
afterAll(() => bench[Symbol.asyncDispose]());

const ask = (who: 'a' | 'b', method: string, path: string, body?: object) =>
  bench.daemon.call(method, path, body, { headers: { authorization: `Bearer ${tokens[who]}` } });
const session = async (who: 'a' | 'b', body: object = {}) =>
  (await ask(who, 'POST', '/api/v1/sessions', { profile_id: 'local/worker', ...body })).body
    .session_id as string;

it('the admin of a tenant looks after its tokens and browsers, and has no part in the deployment', async () => {
  const made = await ask('a', 'POST', '/api/v1/tokens', { scope: 'read' });
  expect([made.status, made.body.tenant]).toEqual([201, 'team-a']);
  const listed = await ask('a', 'GET', '/api/v1/tokens');
  expect(new Set(listed.body.map(({ tenant }: { tenant: string }) => tenant))).toEqual(new Set(['team-a']));
  for (const [method, path, body] of [
    ['POST', '/api/v1/tokens', { scope: 'read', tenant: 'team-b' }],
    ['PUT', '/api/v1/profiles/active', { profile_id: 'local/worker' }],
    ['POST', '/api/v1/profiles', { name: 'x', manifest: 'x' }],
    ['GET', '/metrics'],
    ['GET', '/api/v1/status'],
    ['GET', '/api/v1/doctor'],
    ['GET', '/api/v1/live'],
  ] as const) {
    const { status, body: problem } = await ask('a', method, path, body);
    expect([path, status, problem.code]).toEqual([path, 403, 'OPERATOR_ONLY']);
  }
  const { url } = (await ask('a', 'POST', '/api/v1/sign-in/links', {})).body;
  const { hostname, port, pathname, search } = new URL(url);
  const signedIn = await fetch(`http://127.0.0.1:${port}${pathname}${search}`, {
    headers: { host: `${hostname}:${port}` },
    redirect: 'manual',
  });
  // A browser is led to the name of the daemon's own, which fetch cannot send; the link itself is the tenant's.
  expect(signedIn.status).toBe(303);
  expect((await ask('a', 'GET', '/api/v1/session-of-browser')).body).toMatchObject({
    tenant: 'team-a',
    scope: 'admin',
  });
});

it('sessions of a tenant work in its own folder, and cannot look into that of another', async () => {
  const other = bench.daemon.workspace.resolve('of-b');
  const refused = await ask('a', 'POST', '/api/v1/sessions', {
    profile_id: 'local/worker',
    working_dir: other,
  });
  expect(refused.body.code).toBe('INVALID_WORKING_DIR');
  const id = await session('b');
  await ask('b', 'POST', `/api/v1/sessions/${id}/runs`, { instruction: '!say Well.', wait: 60 });
  const launch = (await ask('b', 'GET', `/api/v1/sessions/${id}/launch`)).body;
  expect(JSON.stringify(launch)).toContain(other);
});

it('a refused working folder is named as it was asked for, wherever a link in it leads', async () => {
  const { workspace } = bench.daemon;
  const target = workspace.resolve('target-of-the-link');
  await mkdir(target);
  const refusals = new Set<string>();
  for (const [name, to] of [
    ['to-there', target],
    ['to-nothing', workspace.resolve('missing-target')],
    ['to-itself', workspace.resolve('of-b/to-itself')],
    ['to-a-file', '/etc/hostname'],
  ] as const) {
    const link = workspace.resolve(`of-b/${name}`);
    await symlink(to, link);
    const made = await ask('b', 'POST', '/api/v1/sessions', {
      profile_id: 'local/worker',
      working_dir: link,
    });
    expect([name, made.status, made.body.code]).toEqual([name, 422, 'INVALID_WORKING_DIR']);
    expect(made.body.detail).toContain(link);
    refusals.add(made.body.detail.replaceAll(name, ''));
    await rm(link);
  }
  expect([...refusals]).toHaveLength(1);
});

it('a token whose day is spent is refused until the next, and a run gets no more than what is left', async () => {
  const id = await session('a');
  const first = await ask('a', 'POST', `/api/v1/sessions/${id}/runs`, {
    instruction: '!say Well.',
    wait: 60,
  });
  expect(first.body.status).toBe('completed');
  await spend(bench, 'team-a', 990_000);
  const second = await ask('a', 'POST', `/api/v1/sessions/${id}/runs`, { instruction: '!say Well.' });
  expect([second.status, second.body]).toMatchObject([429, { code: 'BUDGET_SPENT', limit: 'tokens' }]);
  expect(Date.parse(second.body.resets_at)).toBeGreaterThan(Date.now());
  expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);
  // Of the tenant's own budget most is left, so another token of it goes on.
  const other = (await ask('a', 'POST', '/api/v1/tokens', { scope: 'run' })).body.token;
  const third = await bench.daemon.call(
    'POST',
    `/api/v1/sessions/${id}/runs`,
    { instruction: '!say Well.', wait: 60 },
    { headers: { authorization: `Bearer ${other}` } },
  );
  expect(third.body.status).toBe('completed');
});

it('a browser spends the day of the token that it was signed in with', async () => {
  const made = (await ask('a', 'POST', '/api/v1/tokens', { scope: 'run' })).body.token as string;
  const cookie = async (headers: Record<string, string>) => {
    const link = (await bench.daemon.post('/api/v1/sign-in/links', {}, { headers })).body.url;
    const { headers: set } = await openLink(bench.daemon.daemon.url, link);
    return {
      authorization: '',
      cookie: set.get('set-cookie')?.split(';')[0] ?? '',
      origin: bench.daemon.daemon.url,
      'x-amplifier-csrf': '1',
    };
  };
  const bearer = { authorization: `Bearer ${made}` };
  const first = await cookie(bearer);
  const second = await cookie(first);
  const id = await session('a');
  const start = async (headers: Record<string, string>) =>
    (
      await bench.daemon.post(
        `/api/v1/sessions/${id}/runs`,
        { instruction: '!say Well.', wait: 60 },
        { headers },
      )
    ).body;
  expect((await start(second)).status).toBe('completed');
  await spend(bench, 'team-a', 990_000);
  for (const headers of [bearer, first, second]) expect((await start(headers)).code).toBe('BUDGET_SPENT');
});

it('as many runs of a tenant are at work as may, and the next waits in line', async () => {
  const [first, second] = [await session('b'), await session('b')];
  const asks = script(call('write_file', { file_path: 'a.txt', content: 'x' }), '!say Done.');
  await ask('b', 'POST', `/api/v1/sessions/${first}/runs`, { instruction: asks });
  const { approval_id } = await bench.approval(first);
  const { run_id } = (
    await ask('b', 'POST', `/api/v1/sessions/${second}/runs`, { instruction: '!say Well.' })
  ).body;
  // The operator's run, which came later, does not wait.
  expect((await bench.run(await bench.session(), '!say Mine.', { wait: 60 })).body.status).toBe('completed');
  expect((await ask('b', 'GET', `/api/v1/runs/${run_id}`)).body.status).toBe('queued');
  await bench.answer(first, approval_id);
  expect((await bench.ended(second, run_id)).status).toBe('completed');
});

it('a change whose line in the audit cannot be written is refused and not carried out', async () => {
  const id = await session('b');
  const { database, release } = await shareDatabase(bench.daemon.daemon.home.record);
  const say = (sql: string) => database.write(() => run(sql));
  await say(`CREATE TRIGGER refuse BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no room'); END`);
  const refused = await ask('b', 'PATCH', `/api/v1/sessions/${id}`, { name: 'changed' });
  await say('DROP TRIGGER refuse');
  await release();
  expect(refused.status).toBeGreaterThanOrEqual(500);
  expect((await ask('b', 'GET', `/api/v1/sessions/${id}`)).body.name).toBeNull();
});

it('every change has a line in the audit, which a tenant sees its own part of', async () => {
  const id = await session('b');
  await ask('b', 'DELETE', `/api/v1/sessions/${id}`);
  await ask('b', 'DELETE', '/api/v1/sessions/nobody');
  const { body } = await ask('b', 'GET', '/api/v1/audit?limit=3');
  const path = '/api/v1/sessions/{session_id}';
  expect(body).toMatchObject([
    { tenant: 'team-b', operation: `DELETE ${path}`, target: `/api/v1/sessions/${id}`, outcome: 204 },
    { tenant: 'team-b', operation: 'POST /api/v1/sessions', outcome: 201 },
    { tenant: 'team-b' },
  ]);
  const older = await ask('b', 'GET', `/api/v1/audit?limit=1000&cursor=${body[2].n}`);
  expect(
    older.body.every((line: { tenant: string; n: number }) => line.tenant === 'team-b' && line.n < body[2].n),
  ).toBe(true);
  const all = (await bench.daemon.get('/api/v1/audit?limit=1000')).body;
  expect(new Set(all.map(({ tenant }: { tenant: string }) => tenant))).toEqual(
    new Set(['', 'team-a', 'team-b']),
  );
  const printed: string[] = [];
  const here = {
    home: bench.daemon.daemon.home,
    environment: {},
    print: (line: string) => printed.push(line),
    say: () => {},
  };
  expect(await serverCommands.audit(here, { limit: 1, tenant: 'team-b' })).toBe(0);
  expect(printed).toEqual([expect.stringMatching(/team-b {2}\w{16} {2}204 {2}DELETE .*session_/)]);
});
