import { readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TempGitRepo, TempWorkspace } from '@amplifier/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDaemon } from '../../test-support/test-daemon.js';

const profile = (name: string, more = '', body = 'Body.') =>
  `---\nprofile: { name: ${name}, version: 0.1.0, schema_version: 2 }\nsession:\n  orchestrator: loop-basic\n  context: context-simple\n${more}\n---\n${body}\n`;

let repo: TempGitRepo;
let outside: TempWorkspace;
let daemon: TestDaemon;
let source: string;

beforeAll(async () => {
  repo = await TempGitRepo.create({
    'README.md': '# No profile\n',
    'profiles/one.md': profile('one', 'agents: { helper: ./agents/helper.md }\ncontext: { rules: ./rules }'),
    'profiles/broken.md': '---\nprofile: { name: BROKEN, version: 1, schema_version: 2 }\n---\n',
    'profiles/sub/two.md': profile('two'),
    'profiles/agents/helper.md': '---\nmeta: { name: helper, description: Helps }\n---\nYou help.\n',
    'profiles/rules/a.md': 'A\n',
    'profiles/rules/picture.png': '\u0000\u0001',
  });
  outside = await TempWorkspace.create({ 'secret.txt': 'secret\n', 'collection/p.md': profile('p') });
  daemon = await TestDaemon.start({ flags: { allow_private_refs: true } });
  source = `git+file://${repo.path}@main#subdirectory=profiles`;
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await repo[Symbol.asyncDispose]();
  await outside[Symbol.asyncDispose]();
});

const sync = (body: object = {}) => daemon.post('/api/v1/collections/sync', body);
const plan = (profile_id: string) => daemon.post('/api/v1/mount-plans/generate', { profile_id });

describe('a collection', () => {
  it('is registered, synced and listed with its profiles; broken files are reported', async () => {
    const { status, body, headers } = await daemon.post('/api/v1/collections', {
      identifier: 'acme',
      source,
    });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe('/api/v1/collections/acme');
    expect(body).toMatchObject({ identifier: 'acme', source, profiles: ['acme/one'], profile_count: 1 });
    expect(body.problems).toMatchObject([
      { collection: 'acme', profile: 'broken.md', code: 'PROFILE_INVALID' },
    ]);
    const all = (await daemon.get('/api/v1/collections')).body;
    expect(all.map(({ identifier }: { identifier: string }) => identifier)).toEqual([
      'foundation',
      'acme',
      'local',
    ]);
    expect((await daemon.get('/api/v1/collections/acme')).body.profiles).toEqual(['acme/one']);
    expect((await daemon.get('/api/v1/collections/acme/profiles')).body).toEqual(['acme/one']);
    expect((await daemon.get('/api/v1/collections/none')).body.code).toBe('COLLECTION_NOT_FOUND');
    const again = await daemon.post('/api/v1/collections', { identifier: 'acme', source });
    expect([again.status, again.body.code]).toEqual([409, 'COLLECTION_EXISTS']);
    const refs = (await daemon.get('/api/v1/collections/component-refs')).body;
    expect(refs.agent).toContainEqual({ name: 'helper', ref: './agents/helper.md', profile_id: 'acme/one' });
  });

  it('has the visible tree of its compiled profiles, with a lock', async () => {
    const folder = join(daemon.home, 'share/profiles/acme/one');
    expect((await readdir(folder)).sort()).toEqual([
      'agents',
      'context',
      'context-manager',
      'one.md',
      'orchestrator',
      'profile.lock.json',
    ]);
    expect(await readFile(join(folder, 'agents/helper.md'), 'utf8')).toContain('You help.');
    const { body: lock } = await daemon.get('/api/v1/profiles/acme/one/lock');
    expect(lock.collection).toMatchObject({ id: 'acme', commit: await repo.git('rev-parse', 'HEAD') });
    expect(lock.warnings).toEqual(['rules/picture.png is not UTF-8 text and is left out.']);
    expect(await readlink(folder)).toContain(lock.lock_hash);
  });

  it('is asked for news only when that is wanted; old versions stay while sessions need them', async () => {
    const before = (await plan('acme/one')).body;
    await repo.write(
      'profiles/agents/helper.md',
      '---\nmeta: { name: helper, description: Helps }\n---\nYou help more.\n',
    );
    await repo.write('profiles/three.md', profile('three'));
    await repo.commit('more');
    expect((await sync({ collection_id: 'acme' })).body.collections).toEqual({ acme: 'skipped' });
    const updated = (await sync({ collection_id: 'acme', update: true })).body;
    expect(updated.collections).toEqual({ acme: 'updated' });
    expect(updated.profiles).toEqual({ 'acme/one': 'compiled', 'acme/three': 'compiled' });
    expect(updated.removed_versions).toEqual([]);
    const agents = (body: { agents: Record<string, { content: string }> }) =>
      body.agents['acme/one.agent.helper']?.content;
    expect(agents(before)).toBe('You help.');
    expect(agents((await plan('acme/one')).body)).toBe('You help more.');
    const old = join(daemon.home, 'share/compiled/acme/one', before.session.lock_hash);
    expect((await stat(old)).isDirectory()).toBe(true);
    await daemon.post(`/api/v1/sessions/${before.session.session_id}/terminate`);
    const { body } = await sync({ collection_id: 'acme' });
    expect(body.removed_versions).toEqual([`acme/one/${before.session.lock_hash}`]);
    await expect(stat(old)).rejects.toThrow('ENOENT');
  });

  it('loses profiles that its source has no more', async () => {
    await repo.git('rm', '--quiet', 'profiles/three.md');
    await repo.commit('fewer');
    const { body } = await sync({ collection_id: 'acme', update: true });
    expect(body.profiles['acme/three']).toBe('pruned');
    expect((await plan('acme/three')).body.code).toBe('PROFILE_NOT_FOUND');
  });

  it('tells how a sync goes, line by line', async () => {
    const { text, headers } = await daemon.post(
      '/api/v1/collections/foundation/sync',
      {},
      { headers: { accept: 'application/x-ndjson' } },
    );
    expect(headers.get('content-type')).toBe('application/x-ndjson');
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toEqual({
      progress: { collection: 'foundation', profile: null, phase: 'Syncing', percent: null },
    });
    expect(lines.at(-1).result.collections).toEqual({ foundation: 'synced' });
    expect((await sync({ collection_id: 'none' })).body.code).toBe('COLLECTION_NOT_FOUND');
  });

  it('that cannot be reached is reported, and the others are synced', async () => {
    const gone = await TempGitRepo.create({ 'x.md': profile('x') });
    await daemon.post('/api/v1/collections', { identifier: 'gone', source: `git+file://${gone.path}@main` });
    await gone[Symbol.asyncDispose]();
    await rm(join(daemon.home, 'cache'), { recursive: true });
    const { status, body } = await sync({ update: true });
    expect(status).toBe(200);
    expect(body.collections).toMatchObject({ gone: 'error', foundation: 'synced' });
    expect((await plan('gone/x')).status).toBe(201);
    expect((await daemon.call('DELETE', '/api/v1/collections/gone')).status).toBe(204);
    expect((await plan('gone/x')).body.code).toBe('PROFILE_NOT_FOUND');
    expect((await daemon.call('DELETE', '/api/v1/collections/gone')).status).toBe(404);
    expect((await daemon.call('DELETE', '/api/v1/collections/local')).status).toBe(403);
  });

  it('cannot come from places the operator has not opened', async () => {
    await using strict = await TestDaemon.start();
    const add = (source: string, to = strict) => to.post('/api/v1/collections', { identifier: 'x', source });
    for (const bad of [
      `${outside.path}/collection`,
      `file://${outside.path}/collection`,
      '../..',
      '~/x',
      `git+file://${repo.path}`,
      'http://127.0.0.1:1/x.zip',
      'https://localhost/x.zip',
      'git+https://127.0.0.1/x',
      'some-package',
      'bundled:../..',
      'bundled:../src',
      'bundled:none',
      'ftp://x/y',
    ]) {
      const { status, body } = await add(bad);
      expect([status, body.code], bad).toEqual([400, 'INVALID_SOURCE']);
    }
    expect((await strict.get('/api/v1/collections')).body).toHaveLength(2);
    await strict.restart({ flags: { source_roots: [outside.path] } });
    expect((await add(`${outside.path}/collection`)).body.profiles).toEqual(['x/p']);
    expect(
      (await strict.post('/api/v1/collections', { identifier: 'y', source: outside.resolve('secret.txt') }))
        .body.code,
    ).toBe('INVALID_SOURCE');
    expect((await strict.post('/api/v1/collections', { identifier: '../y', source: 'x' })).body.code).toBe(
      'INVALID_ID',
    );
    expect((await strict.post('/api/v1/collections', { identifier: 'local', source: 'x' })).body.code).toBe(
      'COLLECTION_EXISTS',
    );
  });

  it('cannot reach out of its folder by refs or links', async () => {
    await using trap = await TempWorkspace.create({
      'up.md': profile('up', 'agents: { a: ../secret.txt }'),
      'absolute.md': profile('absolute', `agents: { a: ${outside.path}/secret.txt }`),
      'linked.md': profile('linked', 'context: { c: ./links }'),
      'missing.md': profile('missing', 'agents: { a: ./nowhere.md }'),
      'links/fine.md': 'fine\n',
    });
    await symlink(outside.resolve('secret.txt'), trap.resolve('links/leak.md'));
    await daemon.restart({ flags: { source_roots: [trap.path], allow_private_refs: true } });
    const { body } = await daemon.post('/api/v1/collections', { identifier: 'trap', source: trap.path });
    expect(body.profiles).toEqual([]);
    const codes = Object.fromEntries(
      body.problems.map((each: { profile: string; code: string }) => [each.profile, each.code]),
    );
    expect(codes).toEqual({
      'trap/up': 'PATH_ESCAPES_ROOT',
      'trap/absolute': 'INVALID_SOURCE',
      'trap/linked': 'PATH_ESCAPES_ROOT',
      'trap/missing': 'RESOURCE_MISSING',
    });
    await daemon.call('DELETE', '/api/v1/collections/trap');
  });

  it('may be added by hand, with comments, and a broken list is never written over', async () => {
    const file = join(daemon.home, 'share/collections.yaml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, `# mine\n${text}`);
    await daemon.post('/api/v1/collections', { identifier: 'more', source: 'bundled:foundation' });
    expect(await readFile(file, 'utf8')).toMatch(/^# mine\n[\s\S]*more:/);
    await writeFile(file, 'collections: [unclosed');
    const { status, body } = await daemon.get('/api/v1/collections');
    expect([status, body.code]).toEqual([500, 'REGISTRY_UNREADABLE']);
    expect(
      (await daemon.post('/api/v1/collections', { identifier: 'z', source: 'bundled:foundation' })).body.code,
    ).toBe('REGISTRY_UNREADABLE');
    expect(await readFile(file, 'utf8')).toBe('collections: [unclosed');
    for (const bad of ['collections: 5', 'collections: { "../x": { source: y } }', 'collections: { x: 5 }']) {
      await writeFile(file, bad);
      expect((await sync()).body.code).toBe('REGISTRY_UNREADABLE');
    }
    await writeFile(file, text);
  });
});

describe('a git ref', () => {
  it('may carry a path after the branch, a branch with a slash, and a bare fragment', async () => {
    await repo.git('branch', 'feature/x');
    for (const [id, ref] of Object.entries({
      slash: '@feature/x#subdirectory=profiles',
      path: '@main/profiles',
      both: '@feature/x/profiles',
      bare: '@main#profiles',
    })) {
      const { body } = await daemon.post('/api/v1/collections', {
        identifier: id,
        source: `git+file://${repo.path}${ref}`,
      });
      expect(body.profiles, ref).toEqual([`${id}/one`]);
    }
    expect(
      (
        await daemon.post('/api/v1/collections', {
          identifier: 'none',
          source: `git+file://${repo.path}@no-such-branch`,
        })
      ).body.code,
    ).toBe('REF_RESOLUTION_FAILED');
  });
});
