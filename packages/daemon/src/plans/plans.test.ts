import { join } from 'node:path';
import { validateMountPlan } from '@amplifier/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDaemon } from '../../test-support/test-daemon.js';

const MANIFEST = `---
profile: { name: full, version: 1.0, schema_version: 2 }
session:
  orchestrator: { module: loop-streaming, config: { max_iterations: 5 } }
  context: { module: context-simple }
  injection_size_limit: 2048
  injection_budget_per_turn: null
providers:
  - module: provider-anthropic
    config: { api_key: "\${ANTHROPIC_API_KEY}", nested: { keep: 1, drop: 2 } }
tools:
  - { module: tool-bash, source: ./tools/bash, config: { allowed_commands: [ls] } }
hooks: [hooks-logging]
agents:
  explorer: ./agents/explorer.md
  helper: { description: Helps, content: You help. }
context:
  rules: ./rules
task: { max_recursion_depth: 2 }
---
Be brief.
`;
const FILES = {
  'home/share/local/full.md': MANIFEST,
  'home/share/local/agents/explorer.md':
    '---\nmeta:\n  name: explorer\n  description: Explores\ntools:\n  - module: tool-search\nmodel_role: fast\n---\nYou explore.\n',
  'home/share/local/rules/style.md': '# Style\n',
  'home/share/local/rules/deep/more.md': '# More\n',
  'home/share/local/tools/bash/index.js': 'export const mount = () => {};\n',
};

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await TestDaemon.start({}, FILES);
});
afterAll(() => daemon[Symbol.asyncDispose]());

const generate = (body: object = {}) =>
  daemon.post('/api/v1/mount-plans/generate', { profile_id: 'local/full', ...body });
const child = (parent: string, body: object) =>
  daemon.post(`/api/v1/mount-plans/${parent}/sub-session`, body);

describe('a generated plan', () => {
  it('has every resource of the profile, by kind and by id', async () => {
    const { status, body, headers } = await generate();
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/api/v1/mount-plans/${body.session.session_id}`);
    expect(body.format_version).toBe(1);
    expect(body.orchestrator).toMatchObject({ module: 'loop-streaming', config: { max_iterations: 5 } });
    expect(body.context_manager).toMatchObject({ module: 'context-simple', module_type: 'context-manager' });
    expect(Object.keys(body.agents)).toEqual(['local/full.agent.explorer', 'local/full.agent.helper']);
    expect(body.agents['local/full.agent.explorer']).toMatchObject({
      content: 'You explore.',
      metadata: { description: 'Explores', model_role: 'fast' },
    });
    expect(Object.keys(body.context)).toEqual([
      'local/full.context.rules/deep/more%2Emd',
      'local/full.context.rules/style%2Emd',
    ]);
    expect(body.tools['local/full.tool.bash']).toMatchObject({
      module: 'tool-bash',
      metadata: { ref: './tools/bash' },
    });
    expect(body.profiles).toEqual({});
    expect(body.mount_points).toHaveLength(9);
    expect(body.session).toMatchObject({ instruction: 'Be brief.', task: { max_recursion_depth: 2 } });
  });

  it('is the same for the same request, but for its id and time', async () => {
    const without = (plan: { session: object }) => ({
      ...plan,
      session: { ...plan.session, session_id: '', created_at: '' },
    });
    const [a, b] = [await generate({ dry_run: true }), await generate({ dry_run: true })];
    expect([a.status, b.status]).toEqual([200, 200]);
    expect(without(a.body)).toEqual(without(b.body));
    expect((await daemon.get(`/api/v1/mount-plans/${a.body.session.session_id}`)).body.code).toBe(
      'SESSION_NOT_FOUND',
    );
  });

  it('is found again as it was given, in three views, and never changes', async () => {
    const { body } = await generate();
    const path = `/api/v1/mount-plans/${body.session.session_id}`;
    expect((await daemon.get(path)).body).toEqual(body);
    await daemon.restart();
    const again = await daemon.get(path);
    expect(again.body).toEqual(body);
    expect(
      (await daemon.get(path, { headers: { 'if-none-match': again.headers.get('etag') ?? '' } })).status,
    ).toBe(304);
    expect((await daemon.get(`${path}?view=flat`)).body).not.toHaveProperty('agents');
    expect((await daemon.get(`${path}?view=ids`)).body.mount_points).toContain('local/full.tool.bash');
    expect((await daemon.get(`${path}?view=odd`)).body.code).toBe('INVALID_QUERY');
  });

  it('arrives whole however large it is, packed or not, and however often', async () => {
    const content = 'Много words about it.\n'.repeat(20_000);
    const { body } = await generate({ agent_overlay: { agents: { writer: { content } } } });
    const path = `/api/v1/mount-plans/${body.session.session_id}`;
    for (const encoding of ['identity', 'gzip', 'gzip', 'identity']) {
      const again = await daemon.get(path, { headers: { 'accept-encoding': encoding } });
      expect(again.body).toEqual(body);
    }
    expect(body.agents['local/full.agent.writer'].content).toBe(content);
  });

  it('is taken by the kernel as it is in its core form', async () => {
    const { body } = await generate({ agent_overlay: { agents: { helper: { enabled: false } } } });
    const core = (await daemon.get(`/api/v1/mount-plans/${body.session.session_id}?format=core`)).body;
    expect(validateMountPlan(core)).toEqual({ valid: true, issues: [] });
    expect(core.session).toMatchObject({
      orchestrator: { module: 'loop-streaming', config: { max_iterations: 5 } },
      context: { module: 'context-simple' },
      injection_size_limit: 2048,
    });
    expect(core.session).not.toHaveProperty('injection_budget_per_turn');
    expect(core.session.system.instruction).toBe('Be brief.');
    expect(core.providers).toEqual([
      {
        module: 'provider-anthropic',
        config: { api_key: '${ANTHROPIC_API_KEY}', nested: { keep: 1, drop: 2 } },
      },
    ]);
    expect(core.tools[0].source).toMatch(/^file:.*tools\/bash$/);
    expect(Object.keys(core.agents)).toEqual(['explorer']);
    expect(core.agents.explorer).toMatchObject({
      description: 'Explores',
      tools: [{ module: 'tool-search' }],
      system: { instruction: 'You explore.' },
    });
    const sample = await daemon.post('/api/v1/mount-plans/generate', { profile_id: 'foundation/developer' });
    const shipped = (await daemon.get(`/api/v1/mount-plans/${sample.body.session.session_id}?format=core`))
      .body;
    expect(validateMountPlan(shipped)).toEqual({ valid: true, issues: [] });
  });

  it('takes module settings into the config and keeps the rest as it is', async () => {
    const { body } = await generate({
      settings_overrides: {
        llm: { model: 'gpt-4' },
        modules: {
          'provider-anthropic': { config: { model: 'big', nested: { drop: null } } },
          bash: { config: { timeout: 1 } },
        },
      },
    });
    expect(body.providers['local/full.provider.anthropic'].config).toEqual({
      api_key: '${ANTHROPIC_API_KEY}',
      model: 'big',
      nested: { keep: 1 },
    });
    expect(body.tools['local/full.tool.bash'].config).toEqual({ allowed_commands: ['ls'], timeout: 1 });
    expect(body.session.settings.llm).toEqual({ model: 'gpt-4' });
  });

  it('never holds a secret', async () => {
    const { text } = await generate({
      settings_overrides: {
        modules: { anthropic: { config: { api_key: 'sk-secret' } } },
        password: 'hunter2',
      },
    });
    expect(text).not.toContain('sk-secret');
    expect(text).not.toContain('hunter2');
  });

  it('is listed with counts, by profile and by parent', async () => {
    const parent = (await generate()).body.session.session_id;
    const below = (await child(parent, {})).body.session.session_id;
    const list = async (query: string) => (await daemon.get(`/api/v1/mount-plans?${query}`)).body;
    expect(await list(`parent_session_id=${parent}`)).toMatchObject([
      {
        session_id: below,
        profile_id: 'local/full',
        mount_point_count: 9,
        module_types: { agent: 2, context: 2, provider: 1 },
      },
    ]);
    expect((await list('profile_id=local/full&limit=1000')).length).toBeGreaterThan(2);
    expect(await list('profile_id=no/such')).toEqual([]);
  });

  it('is deleted alone only while no session lives by it', async () => {
    const plan = (await generate()).body.session.session_id;
    expect((await daemon.call('DELETE', `/api/v1/mount-plans/${plan}`)).status).toBe(204);
    expect((await daemon.get(`/api/v1/mount-plans/${plan}`)).status).toBe(404);
    const started = (await generate()).body.session.session_id;
    await daemon.post(`/api/v1/sessions/${started}/start`);
    const session = await daemon.session();
    for (const id of [started, session]) {
      const { status, body } = await daemon.call('DELETE', `/api/v1/mount-plans/${id}`);
      expect([status, body.code]).toEqual([409, 'PLAN_OWNED']);
    }
  });

  it('is refused for profiles that are not there', async () => {
    expect((await generate({ profile_id: 'local/none' })).body.code).toBe('PROFILE_NOT_FOUND');
    for (const profile_id of ['full', 'a/b/c', '../../etc', 'local/..', 'Local/Full'])
      expect((await generate({ profile_id })).body.code).toBe('INVALID_ID');
  });
});

describe('a sub-session', () => {
  it('starts from the plan of its parent, and leaves that alone', async () => {
    const parent = (
      await generate({
        settings_overrides: { a: { x: 1, y: 2 } },
        agent_overlay: { agents: { helper: { config: { loud: true } } } },
      })
    ).body;
    const id = parent.session.session_id;
    const { status, body, headers } = await child(id, {
      agent_overlay: {
        agents: {
          helper: { config: { verbose: true } },
          'local/full.agents.explorer': { enabled: false },
          scribe: { content: 'You write.', metadata: { description: 'Writes' } },
        },
        tools: [{ module: 'tool-web' }],
        session: { orchestrator: { config: { max_iterations: 9 } }, injection_size_limit: 10 },
      },
      settings_overrides: { a: { x: null, z: 3 } },
    });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/api/v1/sessions/${body.session.session_id}`);
    expect(body.session).toMatchObject({
      parent_session_id: id,
      settings: { a: { y: 2, z: 3 } },
      session: { injection_size_limit: 10 },
    });
    expect(body.session.settings.a).not.toHaveProperty('x');
    expect(body.agents['local/full.agent.helper'].config).toEqual({ loud: true, verbose: true });
    expect(body.agents['local/full.agent.explorer'].enabled).toBe(false);
    expect(body.agents['local/full.agent.scribe']).toMatchObject({
      content: 'You write.',
      metadata: { origin: 'overlay', description: 'Writes' },
    });
    expect(body.tools['local/full.tool.tool-web']).toMatchObject({
      module: 'tool-web',
      source_path: 'builtin:tool-web',
    });
    expect(body.orchestrator.config.max_iterations).toBe(9);
    expect((await daemon.get(`/api/v1/mount-plans/${id}`)).body).toEqual(parent);
    const session = (await daemon.get(`/api/v1/sessions/${body.session.session_id}`)).body;
    expect(session).toMatchObject({ parent_session_id: id, status: 'created', depth: 1 });
    const deeper = (await child(body.session.session_id, { agent_name: 'Scribe One' })).body;
    expect(deeper.session.session_id).toMatch(/^[0-9a-f]{16}-[0-9a-f]{16}_scribe-one$/);
    expect((await child(deeper.session.session_id, {})).body.code).toBe('DEPTH_EXCEEDED');
  });

  it('can start from the profile as it is now', async () => {
    const parent = (await generate({ settings_overrides: { kept: true }, agent_overlay: { agents: 'none' } }))
      .body;
    const plain = (await child(parent.session.session_id, {})).body;
    const fresh = (await child(parent.session.session_id, { refresh: true })).body;
    expect(Object.values<{ enabled: boolean }>(plain.agents).some(({ enabled }) => enabled)).toBe(false);
    expect(Object.values<{ enabled: boolean }>(fresh.agents).every(({ enabled }) => enabled)).toBe(true);
    expect(fresh.session.settings).toEqual({ kept: true });
  });

  it('filters agents by a list', async () => {
    const parent = (await generate()).body.session.session_id;
    const { body } = await child(parent, { agent_overlay: { agents: ['helper'] } });
    expect(body.agents['local/full.agent.explorer'].enabled).toBe(false);
    expect(body.agents['local/full.agent.helper'].enabled).toBe(true);
  });

  it('takes agents by source, as far as sources may lead', async () => {
    const { body } = await generate({
      agent_overlay: { agents: { again: { source: './agents/explorer.md' } } },
    });
    expect(body.agents['local/full.agent.again'].content).toBe('You explore.');
    for (const source of [
      '/etc/passwd',
      '../../../../../etc/passwd',
      'file:///etc/passwd',
      '~/x',
      'http://127.0.0.1:1/x.md',
      'bare-name',
    ]) {
      const refused = await generate({ agent_overlay: { agents: { bad: { source } } } });
      expect(refused.body.code).toBe('INVALID_SOURCE');
    }
    expect(
      (await generate({ agent_overlay: { context: { bad: { source: './rules' } } } })).body.code,
    ).toMatch(/RESOURCE_MISSING|INVALID_OVERLAY/);
  });

  it.each([
    [{ wizards: {} }],
    [{ agents: 5 }],
    [{ agents: { helper: 5 } }],
    [{ agents: { helper: { enabled: 'yes' } } }],
    [{ agents: { helper: { config: [] } } }],
    [{ agents: { helper: { metadata: 1 } } }],
    [{ agents: { helper: { content: 5 } } }],
    [{ agents: { unknown: { enabled: true } } }],
    [{ tools: { unknown: { enabled: true } } }],
    [{ tools: { new: { module: 'x', source: 'y' } } }],
    [{ tools: [5] }],
    [{ session: [] }],
    [{ session: { orchestrator: 5 } }],
    [{ __proto__: null, constructor: {} }],
  ])('is refused for the overlay %j', async (agent_overlay) => {
    const parent = (await generate()).body.session.session_id;
    const { status, body } = await child(parent, { agent_overlay });
    expect([status, body.code]).toEqual([400, 'INVALID_OVERLAY']);
  });

  it('needs a parent that exists and has not ended', async () => {
    expect((await child('nobody', {})).body.code).toBe('PARENT_SESSION_NOT_FOUND');
    const parent = (await generate()).body.session.session_id;
    await daemon.post(`/api/v1/sessions/${parent}/terminate`);
    expect((await child(parent, {})).body.code).toBe('PARENT_ENDED');
    expect((await child(parent, { allow_ended_parent: true })).status).toBe(201);
  });
});

describe('validation', () => {
  const validate = async (plan: object, query = '') =>
    (await daemon.post(`/api/v1/mount-plans/validate${query}`, plan)).body;

  it('finds nothing wrong with what was generated', async () => {
    process.env.ANTHROPIC_API_KEY ??= '';
    const { body } = await generate();
    const result = await validate(body);
    expect(result).toMatchObject({ valid: true, errors: {} });
    expect(await validate(body, '?format=map')).toEqual({});
  });

  it('finds missing files, duplicate ids and wrong configuration', async () => {
    const { body } = await generate();
    const [orchestrator, , provider, tool, , agent] = body.mount_points;
    const lost = join(daemon.home, 'share/compiled/gone');
    const result = await validate({
      format_version: 2,
      session: { settings: { modules: { nobody: {} } } },
      mount_points: [
        orchestrator,
        orchestrator,
        { ...provider, module: 'strange', config: { key: '${NOT_SET_ANYWHERE}' } },
        { ...tool, source_path: `file://${lost}`, config: { allowed_paths: ['a'], denied_paths: ['a'] } },
        { ...tool, module_id: 'local/full.agent.bash' },
        { ...agent, content: ' ' },
        { mount_type: 'embedded', module_id: 'nonsense', module_type: 'agent', content: 'x' },
        { mount_type: 'magic', module_id: 'm' },
      ],
    });
    expect(result.valid).toBe(false);
    expect(result.errors.duplicate_ids).toEqual([orchestrator.module_id]);
    expect(result.errors.missing_resources).toEqual([
      `${tool.module_id}: file://${lost}`,
      `${agent.module_id}: its content is empty`,
    ]);
    const wrong = result.errors.invalid_config.join('\n');
    for (const part of [
      'format_version is 2',
      'more than one orchestrator',
      'no context-manager',
      'allows and denies a',
      'is a tool by its module_type',
      'nonsense: is not written',
      'mount_points.7',
    ]) {
      expect(wrong).toContain(part);
    }
    expect(result.warnings).toMatchObject({
      unusual_names: [expect.any(String)],
      environment: [expect.stringContaining('NOT_SET_ANYWHERE')],
      unknown_modules: [expect.any(String)],
    });
  });

  it('does not tell what is elsewhere on the disk', async () => {
    const mount = (source_path: string) => ({
      mount_type: 'referenced',
      module_type: 'tool',
      module_id: 'a/b.tool.x',
      source_path,
    });
    const ask = (source_path: string) => validate({ session: {}, mount_points: [mount(source_path)] });
    const [there, absent] = [await ask('file:///etc/passwd'), await ask('file:///etc/no-such-file')];
    expect(there).toEqual(absent);
    expect(there.errors.invalid_config).toContain('a/b.tool.x: path outside cache');
    for (const path of [
      '/etc/passwd',
      'file://host/x',
      `file://${daemon.home}/share/../../../etc/passwd`,
      `file://${daemon.home}/token`,
    ]) {
      expect((await ask(path)).errors.invalid_config).toContain('a/b.tool.x: path outside cache');
    }
  });
});
