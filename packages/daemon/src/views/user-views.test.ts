import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDaemon } from '../../test-support/test-daemon.js';

/** The user's own server, on fixed rules: its home holds a provider whose key is not there. */
let daemon: TestDaemon;
/** What the same server answers while it is a deployment, whose sessions need profiles. */
let demoOfDeployment: Awaited<ReturnType<TestDaemon['post']>>;
beforeAll(async () => {
  daemon = await TestDaemon.start(
    {},
    {
      'work/README.md': '# A folder\n',
      'work/package.json': '{}\n',
      'home/settings.yaml':
        'providers:\n  - module: provider-openai\n    config: { api_key: sk-not-to-be-shown-1234567890 }\n',
      'home/agents/zen.md':
        '---\nmeta:\n  name: zen\n  description: Thinks first.\nmodel_role: reasoning\ntools:\n  - module: tool-filesystem\n---\nYou think first.\n',
    },
  );
  demoOfDeployment = await daemon.post('/api/v1/demo');
  await daemon.restart({
    users: true,
    offline: true,
    environment: { AMPLIFIER_HOME: daemon.home, HOME: daemon.workspace.path, PATH: process.env.PATH },
  });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const get = async (path: string) => (await daemon.get(path)).body;

describe('the rooms of a user', () => {
  let session_id: string;

  it('are filled by a demo that needs no model', async () => {
    const started = await daemon.post('/api/v1/demo');
    expect(started.status).toBe(202);
    session_id = started.body.session_id;
    const run = await get(`/api/v1/sessions/${session_id}/runs/${started.body.run_id}?wait=60`);
    expect(run.status).toBe('completed');
    const { root, sessions } = await get(`/api/v1/sessions/${session_id}/tree`);
    expect(root.children.map(({ agent }: { agent: string }) => agent)).toEqual(
      expect.arrayContaining(['explorer', 'reviewer']),
    );
    expect(sessions).toBeGreaterThan(2);
    expect(root.title).toBe('Find out what this folder holds.');
  });

  it('have no demo in a deployment', () => {
    expect(demoOfDeployment.status).toBe(409);
    expect(demoOfDeployment.body).toMatchObject({ code: 'DELEGATION_REFUSED' });
  });

  it('tell what a child was launched with, in words', async () => {
    const { root } = await get(`/api/v1/sessions/${session_id}/tree`);
    const child = root.children.find(({ agent }: { agent: string }) => agent === 'explorer').session_id;
    const launch = await get(`/api/v1/sessions/${child}/launch`);
    expect(launch).toMatchObject({
      session_id: child,
      agent: 'explorer',
      safety_mode: 'read_only',
      proposals: [],
    });
    expect(launch.grant_in_words).toContain('write: nothing');
    expect(launch.model.because).toEqual(expect.any(String));
    expect(launch.context).toHaveProperty('passed');
    const depth = launch.limits.find(({ name }: { name: string }) => name === 'max_depth');
    expect(depth).toMatchObject({ used: 1 });
    expect(launch.record).toMatchObject({ version: 1, session_id: child });
  });

  it('show when everything happened, from the logs', async () => {
    const spans = await get(`/api/v1/sessions/${session_id}/timeline`);
    const kinds = new Set(spans.map(({ kind }: { kind: string }) => kind));
    expect([...kinds].sort()).toEqual(['model', 'tool', 'turn']);
    const delegations = spans.filter(
      (span: { name: string; session_id: string }) =>
        span.name === 'delegate' && span.session_id === session_id,
    );
    expect(delegations).toHaveLength(3);
    for (const { start, end, ok, tool_call_id } of spans)
      if (tool_call_id) expect([start <= end, ok]).toEqual([true, true]);
  });

  it('count what was used by day, agent, model and project, and the most expensive trees', async () => {
    const [day] = await get('/api/v1/spend');
    expect(day).toMatchObject({ key: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), cost_usd: '0' });
    const agents = await get('/api/v1/spend?by=agent');
    expect(agents.map(({ key }: { key: string }) => key)).toContain('explorer');
    expect((await get('/api/v1/spend?by=model'))[0].key).toBe('offline-rules');
    expect((await get('/api/v1/spend?by=project')).length).toBe(1);
    expect(await get('/api/v1/spend?from=2999-01-01T00:00:00Z')).toEqual([]);
    expect(await get('/api/v1/spend/trees?limit=1')).toMatchObject([
      { session_id, title: 'Find out what this folder holds.', sessions: day.sessions },
    ]);
  });

  it('list agents with their source, and show a launch before anything is spent', async () => {
    const agents = await get('/api/v1/agents');
    const zen = agents.find(({ name }: { name: string }) => name === 'zen');
    expect(zen).toMatchObject({
      source: 'user',
      description: 'Thinks first.',
      tools: ['tool-filesystem'],
      model_role: ['reasoning'],
      external: false,
      state: 'ready',
    });
    expect(agents.some(({ external }: { external: boolean }) => external)).toBe(true);
    const before = (await get('/api/v1/trees')).length;
    const dry = await daemon.post('/api/v1/agents/dry-run', { agent: 'zen', instruction: 'Think.' });
    expect(dry.body).toMatchObject({
      agent: 'zen',
      instruction: 'Think.',
      system_prompt: 'You think first.',
    });
    const child = await daemon.post(`/api/v1/sessions/${session_id}/delegate/dry-run`, {
      agent: 'zen',
      instruction: 'Think.',
    });
    expect(child.body).toMatchObject({ agent: 'zen', safety_mode: 'read_only' });
    expect((await get('/api/v1/trees')).length).toBe(before);
    const nobody = await daemon.post('/api/v1/agents/dry-run', { agent: 'nobody', instruction: 'x' });
    expect([nobody.status, nobody.body.code]).toEqual([404, 'AGENT_NOT_FOUND']);
  });

  it('tell what applies and from which file, without secrets, and try providers', async () => {
    const settings = await daemon.get('/api/v1/settings');
    expect(settings.text).not.toContain('sk-not-to-be-shown');
    expect(settings.body.files[0]).toMatchObject({ scope: 'user', exists: true });
    expect(settings.body.daemon).toHaveProperty('port');
    const [provider] = await get('/api/v1/providers');
    expect(provider).toMatchObject({ name: 'offline', usable: true });
    const tried = await daemon.post(`/api/v1/providers/${provider.name}/test`, {});
    expect(tried.body).toMatchObject({ ok: true, configured: true });
    const nobody = await daemon.post('/api/v1/providers/nobody/test', {});
    expect([nobody.status, nobody.body.code]).toEqual([404, 'PROVIDER_NOT_FOUND']);
  });

  it('look into no folder that sessions may not work in, whatever is asked', async () => {
    const outside = daemon.workspace.resolve('outside');
    await mkdir(join(outside, '.amplifier/agents'), { recursive: true });
    const hidden = '---\nname: hidden\ndescription: CANARY\n---\nCANARY\n';
    await writeFile(join(outside, '.amplifier/agents/hidden.md'), hidden);
    await writeFile(join(outside, 'AGENTS.md'), 'CANARY');
    const { paths, components } = await get('/openapi.json');
    const takesFolder = (operation: object): boolean => {
      const text = JSON.stringify(operation);
      const named = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name = '']) => name);
      const asked = { ...operation, responses: null };
      return (
        JSON.stringify(asked).includes('"working_dir"') ||
        named.some(
          (name) =>
            JSON.stringify(asked).includes(name) &&
            'working_dir' in (components.schemas[name]?.properties ?? {}),
        )
      );
    };
    const asked: string[] = [];
    for (const [path, methods] of Object.entries(paths as Record<string, Record<string, object>>))
      for (const [method, operation] of Object.entries(methods)) {
        if (!takesFolder(operation)) continue;
        asked.push(`${method} ${path}`);
        const at = path.replace(/\{\w+\}/g, 'offline');
        const body = { instruction: 'x', working_dir: outside };
        const answer =
          method === 'get'
            ? await daemon.get(`${at}?working_dir=${encodeURIComponent(outside)}`)
            : await daemon.call(method.toUpperCase(), at, body);
        expect([at, answer.status, answer.body.code]).toEqual([at, 422, 'INVALID_WORKING_DIR']);
        expect(answer.text).not.toContain('CANARY');
      }
    const mentioned = `Read @${join(outside, 'AGENTS.md')}`;
    const dry = { instruction: mentioned, safety_mode: 'yolo' };
    expect((await daemon.post('/api/v1/agents/dry-run', dry)).text).not.toContain('CANARY');
    expect(asked).toEqual(
      expect.arrayContaining([
        'get /api/v1/agents',
        'post /api/v1/agents/dry-run',
        'get /api/v1/settings',
        'get /api/v1/providers',
        'post /api/v1/providers/{provider}/test',
        'post /api/v1/sessions',
      ]),
    );
  });
});

describe("a run token at a user's own server", () => {
  const withToken = async () => {
    const { token } = (await daemon.post('/api/v1/tokens', { scope: 'run', name: 'works' })).body;
    return { headers: { authorization: `Bearer ${token}` } };
  };

  it('makes sessions of bundles that go by a name, and loads none from where it says', async () => {
    const marker = daemon.workspace.resolve('loaded');
    await daemon.workspace.write(
      'work/evil.md',
      '---\nbundle: { name: evil }\nincludes: [{ bundle: foundation }]\nhooks: [{ module: hooks-evil, source: ./evil }]\n---\nEvil.\n',
    );
    await daemon.workspace.write(
      'work/evil/package.json',
      '{"name":"evil","type":"module","main":"index.js"}',
    );
    await daemon.workspace.write(
      'work/evil/index.js',
      `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(marker)}, '');\nexport default { mount() {} };\n`,
    );
    const options = await withToken();
    for (const place of [
      './evil.md',
      daemon.workspace.resolve('work/evil.md'),
      'http://127.0.0.1:1/evil.md',
    ]) {
      const refused = await daemon.post('/api/v1/sessions', { profile_id: `bundle/${place}` }, options);
      expect([refused.status, refused.body.code]).toEqual([404, 'PROFILE_NOT_FOUND']);
    }
    const made = await daemon.post('/api/v1/sessions', { profile_id: 'bundle/foundation' }, options);
    expect(made.status).toBe(201);
    expect(existsSync(marker)).toBe(false);
  });
});
