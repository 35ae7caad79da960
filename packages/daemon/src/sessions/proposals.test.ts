import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { applyProposal, Isolation } from '@amplifier/workspace';
import { expect, it, vi } from 'vitest';
import { TestDaemon } from '../../test-support/test-daemon.js';
import { WorkingFolders } from './working-folders.js';

/** What an agent left that could only propose. */
async function propose(daemon: TestDaemon, text: string, file = 'a.txt', folder = 'work'): Promise<string> {
  const source = daemon.workspace.resolve(folder);
  const isolation = await Isolation.create({ home: `${daemon.home}-trees`, source });
  await mkdir(dirname(`${isolation.path}/${file}`), { recursive: true });
  await writeFile(`${isolation.path}/${file}`, text);
  await isolation.keep('its changes have not been applied.', 'session_x');
  return isolation.id;
}

it('lists, shows, applies, undoes, discards and cleans proposals, in trusted folders that sessions may work in', async () => {
  const files = { 'work/a.txt': 'one\n', 'elsewhere/b.txt': 'b\n' };
  await using daemon = await TestDaemon.start({}, files);
  await mkdir(`${daemon.home}/config`, { recursive: true });
  const settings = (trust_working_dir: boolean, safety_mode: string) => {
    const runs = { working_dir: daemon.workspace.resolve('work'), trust_working_dir, safety_mode };
    return writeFile(`${daemon.home}/config/daemon.yaml`, JSON.stringify({ runs }));
  };
  await settings(false, 'write');
  await daemon.restart();
  const id = await propose(daemon, 'two\n');
  const elsewhere = await Isolation.create({
    home: `${daemon.home}-trees`,
    source: daemon.workspace.resolve('elsewhere'),
  });
  await writeFile(`${elsewhere.path}/b.txt`, 'c\n');
  await elsewhere.keep('not for this daemon');
  const { body: listed } = await daemon.get('/api/v1/proposals');
  expect(listed).toMatchObject([{ id, state: 'proposed', session_id: 'session_x' }]);
  expect((await daemon.get(`/api/v1/proposals/${elsewhere.id}`)).status).toBe(404);
  const { body: shown } = await daemon.get(`/api/v1/proposals/${id}`);
  expect(shown).toMatchObject({ diff: expect.stringContaining('+two'), acts_later: [] });
  const refused = await daemon.post(`/api/v1/proposals/${id}/apply`);
  expect(refused).toMatchObject({ status: 403, body: { code: 'WORKSPACE_NOT_TRUSTED' } });
  await settings(true, 'propose');
  await daemon.restart();
  // Where sessions may only propose, no token of theirs makes their proposals true.
  const { token } = (await daemon.post('/api/v1/tokens', { scope: 'run' })).body;
  const byRun = { headers: { authorization: `Bearer ${token}` } };
  const tooMuch = await daemon.call('POST', `/api/v1/proposals/${id}/apply`, undefined, byRun);
  expect([tooMuch.status, tooMuch.body.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
  const applied = await daemon.post(`/api/v1/proposals/${id}/apply`);
  expect(applied, applied.text).toMatchObject({ status: 200, body: { status: 'applied' } });
  expect(await daemon.workspace.read('work/a.txt')).toBe('two\n');
  const [folder, away] = [daemon.workspace.resolve('work'), daemon.workspace.resolve('away')];
  await rename(folder, away);
  const missing = await daemon.post(`/api/v1/proposals/${applied.body.id}/undo`);
  expect([missing.status, missing.body.code]).toEqual([409, 'WORKSPACE_CHANGED']);
  await rename(away, folder);
  const undone = await daemon.post(`/api/v1/proposals/${applied.body.id}/undo`);
  expect(undone.body).toMatchObject({ status: 'undone' });
  expect(await daemon.workspace.read('work/a.txt')).toBe('one\n');
  expect((await daemon.post(`/api/v1/proposals/${applied.body.id}/undo`)).status).toBe(409);
  const acting = await propose(daemon, '{}', '.vscode/tasks.json');
  const byHand = await daemon.post(`/api/v1/proposals/${acting}/apply`);
  expect([byHand.status, byHand.body.code]).toEqual([409, 'PROPOSAL_ACTS_LATER']);
  const made = await applyProposal(`${daemon.home}-trees`, acting, { byPerson: true });
  const taken = await daemon.post(`/api/v1/proposals/${'id' in made ? made.id : ''}/undo`);
  expect([taken.status, taken.body.code]).toEqual([409, 'PROPOSAL_ACTS_LATER']);
  const second = await propose(daemon, 'three\n');
  expect((await daemon.call('DELETE', `/api/v1/proposals/${second}`)).status).toBe(204);
  const would = await daemon.post('/api/v1/proposals/clean', { older_than_days: 0, dry_run: true });
  expect(would.body.proposals).toHaveLength(2);
  await daemon.post('/api/v1/proposals/clean', { older_than_days: 0 });
  expect((await daemon.get('/api/v1/proposals')).body).toEqual([]);
  await elsewhere.dispose();
});

/** A daemon with two tenants, in whose folders proposals are applied, and a caller of `team-a`. */
async function twoTenants() {
  const files = { 'work/team-a/q/a.txt': 'one\n', 'work/team-b/q/a.txt': 'one\n' };
  const daemon = await TestDaemon.start({}, files);
  const runs = { working_dir: daemon.work, trust_working_dir: true, safety_mode: 'write' };
  await mkdir(`${daemon.home}/config`, { recursive: true });
  const config = { runs, tenants: { 'team-a': {}, 'team-b': {} } };
  await writeFile(`${daemon.home}/config/daemon.yaml`, JSON.stringify(config));
  await daemon.restart();
  const { token } = (await daemon.post('/api/v1/tokens', { scope: 'run', tenant: 'team-a' })).body;
  const headers = { authorization: `Bearer ${token}` };
  const call = (method: string, path: string) =>
    daemon.call(method, `/api/v1/proposals${path}`, undefined, { headers });
  return { daemon, call };
}

it('writes nothing for a tenant where a link leads that took the place of its folder after a check', async () => {
  const { daemon, call } = await twoTenants();
  await using _ = daemon;
  const id = await propose(daemon, 'two\n', 'a.txt', 'work/team-a/q');
  const applied = await propose(daemon, 'two\n', 'b.txt', 'work/team-a/q').then((b) =>
    call('POST', `/${b}/apply`),
  );
  expect(applied.body).toMatchObject({ status: 'applied' });
  await daemon.workspace.write('work/team-b/q/b.txt', 'two\n');
  const [q, folder, link] = ['q', 'folder', 'link'].map((name) =>
    daemon.workspace.resolve('work/team-a', name),
  );
  await symlink('../team-b/q', link as string);
  const show = async (shown: string, hidden: string) => {
    if (!existsSync(shown)) return;
    await rename(q as string, hidden);
    await rename(shown, q as string);
  };
  // Whenever the name is checked it is a folder; at any other time it is a link.
  for (const method of ['allowed', 'requireTrust'] as const) {
    const real = WorkingFolders.prototype[method] as (...args: unknown[]) => Promise<never>;
    vi.spyOn(WorkingFolders.prototype, method).mockImplementation(async function (
      this: WorkingFolders,
      ...args: unknown[]
    ) {
      await show(folder as string, link as string);
      return real.apply(this, args).finally(() => show(link as string, folder as string));
    });
  }
  const before = await readdir(daemon.workspace.resolve('work/team-b/q'));
  const answers = [await call('POST', `/${id}/apply`), await call('POST', `/${applied.body.id}/undo`)];
  vi.restoreAllMocks();
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
    [409, 'WORKSPACE_CHANGED'],
    [409, 'WORKSPACE_CHANGED'],
  ]);
  expect(await readdir(daemon.workspace.resolve('work/team-b/q'))).toEqual(before);
  expect(await daemon.workspace.read('work/team-b/q/a.txt')).toBe('one\n');
});

it('compares no tree of another tenant, and says the same of its ids as of any that is not there', async () => {
  const { daemon, call } = await twoTenants();
  await using _ = daemon;
  const theirs = await propose(daemon, 'two\n', 'a.txt', 'work/team-b/q');
  const mine = await propose(daemon, 'two\n', 'a.txt', 'work/team-a/q');
  const patch = vi.spyOn(Isolation.prototype, 'patch');
  const nobodys = '00000000-0000-4000-8000-000000000000';
  for (const [method, verb] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/apply'],
    ['POST', '/undo'],
  ] as const) {
    const [of, none] = await Promise.all([theirs, nobodys].map((id) => call(method, `/${id}${verb}`)));
    expect([of?.status, none?.status]).toEqual([404, 404]);
    expect(of?.body.detail.replace(theirs, '…')).toBe(none?.body.detail.replace(nobodys, '…'));
    const [begun, no] = await Promise.all(
      [theirs, nobodys].map((id) => call(method, `/${id.slice(0, 4)}${verb}`)),
    );
    expect([begun?.status, begun?.body.detail]).toEqual([no?.status, no?.body.detail]);
    expect(begun?.body.code).toBe('INVALID_ID');
  }
  expect((await call('GET', '')).body).toMatchObject([{ id: mine }]);
  expect((await call('GET', '')).body).toHaveLength(1);
  const compared = patch.mock.contexts.map((isolation) => (isolation as Isolation).id);
  vi.restoreAllMocks();
  expect(compared).toEqual([mine]);
});
