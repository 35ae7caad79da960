import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDaemon } from '../../test-support/test-daemon.js';

const manifest = (name: string, more = '', body = 'Body.') =>
  `---\nprofile:\n  name: ${name}\n  version: 0.1.0\n  schema_version: 2\n${more}---\n${body}\n`;
let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await TestDaemon.start();
});
afterAll(() => daemon[Symbol.asyncDispose]());

describe('profiles', () => {
  it('are listed and shown whole', async () => {
    const all = (await daemon.get('/api/v1/profiles')).body;
    expect(all.map((each: { profile_id: string }) => each.profile_id)).toEqual([
      'foundation/base',
      'foundation/developer',
      'foundation/reviewer',
    ]);
    expect((await daemon.get('/api/v1/profiles?collection=local')).body).toEqual([]);
    expect((await daemon.get('/api/v1/profiles?collection=..')).body.code).toBe('INVALID_ID');
    const { body } = await daemon.get('/api/v1/profiles/foundation/base');
    expect(body).toMatchObject({
      profile_id: 'foundation/base',
      schema_version: 2,
      session: { orchestrator: { module: 'loop-streaming' }, context_manager: { module: 'context-simple' } },
      providers: [
        { module: 'provider-anthropic', source: null, config: { api_key: '${ANTHROPIC_API_KEY}' } },
      ],
      agents: { 'zen-architect': './agents/zen-architect.md' },
    });
    expect(body.manifest).toContain('schema_version: 2');
    expect((await daemon.get('/api/v1/profiles/foundation/none')).body.code).toBe('PROFILE_NOT_FOUND');
    expect((await daemon.get('/api/v1/profiles/foundation/base/status')).body.status).toBe('fresh');
    expect((await daemon.get('/api/v1/profiles/foundation/none/status')).body.code).toBe('PROFILE_NOT_FOUND');
    expect((await daemon.get('/api/v1/profiles/none/none/status')).body.code).toBe('COLLECTION_NOT_FOUND');
    const compiled = await daemon.post('/api/v1/profiles/foundation/base/compile');
    expect(compiled.body).toMatchObject({ status: 'unchanged', profile_id: 'foundation/base' });
    expect(compiled.text).not.toContain(daemon.home);
    expect((await daemon.post('/api/v1/profiles/foundation/none/compile')).body.code).toBe(
      'PROFILE_NOT_FOUND',
    );
  });

  it('of the local collection can be written, changed and deleted', async () => {
    const created = await daemon.post('/api/v1/profiles', { name: 'mine', manifest: manifest('mine') });
    expect([created.status, created.headers.get('location')]).toEqual([201, '/api/v1/profiles/local/mine']);
    expect(
      (await daemon.post('/api/v1/profiles', { name: 'mine', manifest: manifest('mine') })).body.code,
    ).toBe('PROFILE_EXISTS');
    const changed = await daemon.call('PATCH', '/api/v1/profiles/local/mine', {
      manifest: manifest('mine', '', 'Other.'),
    });
    expect(changed.body.instruction).toBe('Other.');
    const broken = await daemon.call('PATCH', '/api/v1/profiles/local/mine', {
      manifest: manifest('mine', 'agents: { a: ./none.md }\n'),
    });
    expect([broken.status, broken.body.code]).toEqual([422, 'RESOURCE_MISSING']);
    expect((await daemon.get('/api/v1/profiles/local/mine')).body.instruction).toBe('Other.');
    expect((await daemon.call('DELETE', '/api/v1/profiles/local/mine')).status).toBe(204);
    expect((await daemon.get('/api/v1/profiles/local/mine')).status).toBe(404);
    expect((await daemon.call('DELETE', '/api/v1/profiles/local/mine')).status).toBe(404);
    expect(
      (await daemon.call('PATCH', '/api/v1/profiles/local/mine', { manifest: manifest('mine') })).status,
    ).toBe(404);
  });

  it('tell resources of one name apart by the suffix .2', async () => {
    const modules = 'providers: [{ module: provider-one }, { module: provider-two, id: one }]\n';
    const agents = 'agents: { inline: { same: { content: First. } }, same: { content: Second. } }\n';
    const created = await daemon.post('/api/v1/profiles', {
      name: 'twice',
      manifest: manifest('twice', modules + agents),
    });
    expect(created.status).toBe(201);
    const { body } = await daemon.post('/api/v1/mount-plans/generate', { profile_id: 'local/twice' });
    expect(Object.keys(body.providers)).toEqual(['local/twice.provider.one', 'local/twice.provider.one.2']);
    expect(Object.keys(body.agents)).toEqual(['local/twice.agent.same', 'local/twice.agent.same.2']);
    const { body: child } = await daemon.post(`/api/v1/mount-plans/${body.session.session_id}/sub-session`, {
      agent_overlay: { agents: { 'local/twice.agents.same.2': { enabled: false } } },
    });
    expect(child.agents['local/twice.agent.same.2'].enabled).toBe(false);
    expect(child.agents['local/twice.agent.same'].enabled).toBe(true);
    expect((await daemon.call('DELETE', '/api/v1/profiles/local/twice')).status).toBe(204);
  });

  it('that cannot be used are refused and leave nothing behind', async () => {
    const tries: [string, string, string][] = [
      ['x', 'no frontmatter', 'PROFILE_INVALID'],
      ['x', manifest('y'), 'PROFILE_INVALID'],
      ['x', '---\nprofile: [\n---\n', 'PROFILE_INVALID'],
      ['x', manifest('x', 'agents: { a: ../../../token }\n'), 'INVALID_SOURCE'],
      ['x', manifest('x', 'agents: { a: ./none.md }\n'), 'RESOURCE_MISSING'],
      [
        'x',
        manifest('x', 'tools: [{ module: t, source: ./a }, { module: t, source: ./b }]\n'),
        'DUPLICATE_MODULE',
      ],
      ['../x', manifest('x'), 'INVALID_ID'],
    ];
    for (const [name, text, code] of tries)
      expect((await daemon.post('/api/v1/profiles', { name, manifest: text })).body.code).toBe(code);
    expect((await daemon.get('/api/v1/profiles?collection=local')).body).toEqual([]);
  });

  it('of other collections are read only, and can be copied with their files', async () => {
    expect(
      (await daemon.call('PATCH', '/api/v1/profiles/foundation/base', { manifest: manifest('base') })).body
        .code,
    ).toBe('PROFILE_READ_ONLY');
    expect((await daemon.call('DELETE', '/api/v1/profiles/foundation/base')).body.code).toBe(
      'PROFILE_READ_ONLY',
    );
    const copy = await daemon.post('/api/v1/profiles/foundation/base/copy', { newName: 'own' });
    expect([copy.status, copy.body.profile_id]).toEqual([201, 'local/own']);
    expect((await daemon.post('/api/v1/profiles/foundation/base/copy', { new_name: 'own' })).body.code).toBe(
      'PROFILE_EXISTS',
    );
    const plan = (await daemon.post('/api/v1/mount-plans/generate', { profile_id: 'local/own' })).body;
    expect(plan.agents['local/own.agent.zen-architect'].content).toMatch(/^# Zen Architect/);
    expect(plan.context['local/own.context.implementation-philosophy'].content).toMatch(/^# Implementation/);
    await daemon.call('DELETE', '/api/v1/profiles/local/own');
  });

  it('one is active, and serves requests that name none', async () => {
    expect((await daemon.get('/api/v1/profiles/active')).body).toEqual({ profile_id: null });
    expect((await daemon.post('/api/v1/profiles/foundation/reviewer/activate')).body).toEqual({
      profile_id: 'foundation/reviewer',
    });
    expect((await daemon.post('/api/v1/sessions', {})).body.profile_id).toBe('foundation/reviewer');
    expect(
      (await daemon.get('/api/v1/profiles')).body.filter((each: { is_active: boolean }) => each.is_active),
    ).toHaveLength(1);
    expect(
      (await daemon.call('PUT', '/api/v1/profiles/active', { profile_id: 'foundation/none' })).body.code,
    ).toBe('PROFILE_NOT_FOUND');
    await daemon.post('/api/v1/profiles', { name: 'mine', manifest: manifest('mine') });
    await daemon.call('PUT', '/api/v1/profiles/active', { profileId: 'local/mine' });
    expect((await daemon.call('DELETE', '/api/v1/profiles/local/mine')).body.code).toBe('PROFILE_ACTIVE');
    expect((await daemon.call('DELETE', '/api/v1/profiles/active')).status).toBe(204);
    expect((await daemon.get('/api/v1/profiles/active')).body.profile_id).toBeNull();
  });

  it('take modules from files and folders, agents from folders, and leave secrets out', async () => {
    await daemon.workspace.write('home/share/local/modules/one.js', 'export {};\n');
    await daemon.workspace.write('home/share/local/agents/sage/sage.md', 'You know.\n');
    const text = manifest(
      'rich',
      'tools: [{ module: tool-one, source: ./modules/one.js, config: { token: abc } }]\nagents: [./agents/sage/sage.md]\ncontext: [./agents]\n',
    );
    const { body } = await daemon.post('/api/v1/profiles', { name: 'rich', manifest: text });
    expect(body.warnings.join()).toContain('holds a secret');
    const plan = (await daemon.post('/api/v1/mount-plans/generate', { profile_id: 'local/rich' })).body;
    expect(plan.tools['local/rich.tool.one']).toMatchObject({
      source_path: expect.stringMatching(/tools\/one\/one\.js$/),
      config: { token: '[REDACTED]' },
    });
    expect(plan.agents['local/rich.agent.sage'].content).toBe('You know.');
    expect(Object.keys(plan.context)).toEqual(['local/rich.context.context_0/sage/sage%2Emd']);
  });

  it('that have lost a compiled file say so at once, and get it back from the next sync', async () => {
    const generate = () => daemon.post('/api/v1/mount-plans/generate', { profile_id: 'local/rich' });
    const sync = async () =>
      (await daemon.post('/api/v1/collections/sync', { collection_id: 'local' })).body.profiles['local/rich'];
    const file = fileURLToPath((await generate()).body.tools['local/rich.tool.one'].source_path);
    const agent = join(file, '../../../agents/sage.md');
    expect(await sync()).toBe('unchanged');
    await rm(file);
    expect((await generate()).body).toMatchObject({ status: 500, code: 'RESOURCE_LOST' });
    expect(await sync()).toBe('compiled');
    expect((await generate()).status).toBe(201);
    await writeFile(file, 'export const other = 1;\n');
    await rm(agent);
    await daemon.restart();
    expect((await generate()).status).toBe(201);
    expect(await readFile(file, 'utf8')).toBe('export {};\n');
    expect(await readFile(agent, 'utf8')).toBe('You know.\n');
  });
});
