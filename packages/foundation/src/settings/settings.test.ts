import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  cloneJson,
  ModuleLoader,
  type MountPlan,
  redactSecrets,
  Session,
  sessionModuleSpec,
} from '@amplifier/core';
import { memoryContextModule, minimalLoopModule, ScriptedProvider, TempWorkspace } from '@amplifier/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseYamlMapping } from '../documents/parse-yaml.js';
import { applySettings } from './apply-settings.js';
import { expandVariables } from './expand-variables.js';
import { readKeys, writeKey } from './keys-file.js';
import { loadSettings, settingsFiles } from './load-settings.js';
import { mergeSettings } from './merge-settings.js';
import { Settings } from './settings-schema.js';
import { writeSetting } from './write-setting.js';

const KEY = `\${X_KEY}`;

describe('scopes', () => {
  it('are laid on user, project, local; lists are replaced, modules and permission paths are not', async () => {
    await using folder = await TempWorkspace.create({
      'home/settings.yaml': `bundle: { active: user-one, app: [a] }
config:
  providers:
    - { module: provider-x, config: { priority: 1, deep: { a: 1 } } }
overrides: { tool-fs: { config: { allowed_write_paths: [/a], extensions: [.md] } } }`,
      'project/settings.yaml': `bundle: { app: [b] }
config:
  providers:
    - { module: provider-x, config: { deep: { b: 2 } } }
    - { module: provider-x, id: second }
overrides: { tool-fs: { config: { allowed_write_paths: [/b], extensions: [.ts] } } }`,
      'project/settings.local.yaml': 'bundle: { active: mine }\ndelegation: { jobs_dir: /j }',
    });
    const { settings, scopes } = await loadSettings(
      settingsFiles(folder.resolve('home'), folder.resolve('project')),
    );
    expect(settings).toEqual({
      bundle: { active: 'mine', app: ['b'] },
      config: {
        providers: [
          { module: 'provider-x', config: { priority: 1, deep: { a: 1, b: 2 } } },
          { module: 'provider-x', id: 'second' },
        ],
      },
      overrides: { 'tool-fs': { config: { allowed_write_paths: ['/a', '/b'], extensions: ['.ts'] } } },
      delegation: { jobs_dir: '/j' },
    });
    expect(scopes.project?.bundle).toEqual({ app: ['b'] });
  });

  it('that do not exist are empty', async () => {
    expect(await loadSettings({ user: '/nowhere/settings.yaml' })).toEqual({ settings: {}, scopes: {} });
  });

  it.each([
    ['bundle: x', 1, /bundle must be a mapping.*write bundle: { active: foundation }/],
    ['a: 1\nconfig:\n  providers: all', 3, /config\.providers must be a list/],
    ['overrides:\n  tool-x:\n    config: 5', 3, /overrides\.tool-x\.config must be a mapping/],
    ['a: [', 1, /cannot be read/],
  ])('with a fault name file, line and remedy: %j', async (text, line, message) => {
    await using folder = await TempWorkspace.create({ 's.yaml': text });
    const loading = loadSettings({ user: folder.resolve('s.yaml') });
    await expect(loading).rejects.toThrow(message);
    await expect(loading).rejects.toMatchObject({ line });
  });

  it('never change by being merged', () => {
    const entry = fc.record({
      module: fc.constantFrom('a', 'b'),
      config: fc.dictionary(fc.constantFrom('k'), fc.integer()),
    });
    const some = fc.record(
      {
        config: fc.record({ providers: fc.array(entry) }, { requiredKeys: [] }),
        bundle: fc.record({ active: fc.string() }),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<Settings>;
    fc.assert(
      fc.property(some, some, (base, overlay) => {
        const before = cloneJson([base, overlay]);
        const merged = mergeSettings(base, overlay);
        expect([base, overlay]).toEqual(before);
        expect(mergeSettings(merged, overlay)).toEqual(merged);
        expect(Settings.safeParse(merged).success).toBe(true);
      }),
    );
  });
});

describe('settings in a plan', () => {
  const plan: MountPlan = {
    session: { orchestrator: { module: 'loop-basic', config: { a: 1 } }, context: 'context-simple' },
    tools: ['tool-bash', { module: 'tool-fs', config: { allowed_write_paths: ['/a'] } }],
    hooks: [{ module: 'hooks-routing', config: { default_matrix: 'balanced' } }],
    agents: { scout: { tools: ['tool-only-here'] } },
  };

  it('reach a module wherever it stands, in agents too; sections made for one thing go before', () => {
    const before = cloneJson(plan);
    const applied = applySettings(plan, {
      overrides: {
        'tool-bash': { config: { timeout: 5 } },
        'tool-fs': { config: { allowed_write_paths: ['/b'] } },
        'tool-only-here': { source: './mine' },
        'loop-basic': { config: { b: 2 } },
        'provider-x': { config: { priority: 9, other: 1 } },
      },
      config: { providers: [{ module: 'provider-x', id: 'work', config: { priority: 1 } }] },
      modules: { tools: ['tool-web'] },
      routing: { matrix: 'economy', overrides: { fast: [] } },
    });
    expect(applied).toEqual({
      session: { orchestrator: { module: 'loop-basic', config: { a: 1, b: 2 } }, context: 'context-simple' },
      tools: [
        { module: 'tool-bash', config: { timeout: 5 } },
        { module: 'tool-fs', config: { allowed_write_paths: ['/a', '/b'] } },
        { module: 'tool-web' },
      ],
      hooks: [
        {
          module: 'hooks-routing',
          config: { default_matrix: 'balanced', matrix: 'economy', overrides: { fast: [] } },
        },
      ],
      providers: [{ module: 'provider-x', id: 'work', instance_id: 'work', config: { priority: 1 } }],
      agents: { scout: { tools: [{ module: 'tool-only-here', source: './mine' }] } },
    });
    expect(plan).toEqual(before);
  });

  it('reach the loop and the context of a session that are named by id, and keep their config', () => {
    const short: MountPlan = {
      session: { orchestrator: 'loop-basic', orchestrator_source: './loop', context: 'context-simple' },
      orchestrator: { config: { a: 1 } },
      agents: { scout: { session: { orchestrator: 'loop-basic' } } },
    };
    const applied = applySettings(short, { overrides: { 'loop-basic': { config: { b: 2 } } } });
    expect(applied.session).toMatchObject({
      orchestrator: { module: 'loop-basic', source: './loop', config: { a: 1, b: 2 } },
      context: 'context-simple',
    });
    expect(applied.agents).toEqual({
      scout: { session: { orchestrator: { module: 'loop-basic', config: { b: 2 } } } },
    });
    expect(sessionModuleSpec(applied, 'orchestrator').config).toEqual({ a: 1, b: 2 });
  });
});

describe('variables', () => {
  it.each([
    ['${A}', 'one'],
    ['x-${A}-${B:two}-y', 'x-one-two-y'],
    ['${C:http://h:1}', 'http://h:1'],
    ['${EMPTY:d}', 'd'],
    ['${MISSING}', ''],
    ['$A ${ A } ${1}', '$A ${ A } ${1}'],
  ])('%s', (text, expected) => {
    expect(expandVariables({ v: [text] }, { A: 'one', EMPTY: '' })).toEqual({ v: [expected] });
  });

  it('without a value are named', () => {
    const missing: string[] = [];
    expandVariables({ a: { b: KEY } }, {}, (name) => missing.push(name));
    expect(missing).toEqual(['X_KEY']);
  });

  it('get their values when a module is mounted, and the plan keeps the reference', async () => {
    let mounted: unknown;
    const loader = new ModuleLoader({
      builtins: {
        loop: () => minimalLoopModule,
        context: () => memoryContextModule,
        'provider-x': () => ({
          mount: (coordinator, config) => {
            mounted = config.api_key;
            coordinator.mounts.mount('providers', new ScriptedProvider([]));
          },
        }),
      },
      prepareConfig: (config) => expandVariables(config, { X_KEY: 'sk-real' }),
    });
    const plan: MountPlan = {
      session: { orchestrator: 'loop', context: 'context' },
      providers: [{ module: 'provider-x', config: { api_key: KEY } }],
    };
    await using session = new Session({ plan, loader });
    await session.initialize();
    expect(mounted).toBe('sk-real');
    expect(JSON.stringify(session.plan)).toContain(KEY);
    expect(JSON.stringify(session.plan)).not.toContain('sk-real');
  });
});

describe('secrets', () => {
  it.each([
    'api_key',
    'access_token',
    'client_secret',
    'bearer_token',
    'x-api-key',
    'refreshToken',
    'password',
    'authorization',
  ])('%s is not shown, a reference is', (name) => {
    const shown = JSON.stringify(redactSecrets({ config: { [name]: 'hunter2', nested: [{ [name]: KEY }] } }));
    expect(shown).not.toContain('hunter2');
    expect(shown).toContain(KEY);
  });

  it('written to settings land in the keys file, readable by nobody else', async () => {
    await using folder = await TempWorkspace.create({
      'settings.yaml': '# mine\nbundle:\n  active: a # why\n',
    });
    const [file, keysFile] = [folder.resolve('settings.yaml'), folder.resolve('keys.env')];
    await writeSetting({
      file,
      keysFile,
      path: ['config', 'providers'],
      value: [{ module: 'provider-anthropic', config: { api_key: 'sk-"quoted" #1', priority: 1 } }],
    });
    const text = await folder.read('settings.yaml');
    expect(text).not.toContain('sk-');
    expect(text).toContain(`\${ANTHROPIC_API_KEY}`);
    expect(text).toContain('# mine');
    expect(text).toContain('# why');
    expect(await readKeys(keysFile)).toEqual({ ANTHROPIC_API_KEY: 'sk-"quoted" #1' });
    expect((await stat(keysFile)).mode & 0o777).toBe(0o600);
  });

  it('are read back as they were meant, whatever the text looks like', async () => {
    await using folder = await TempWorkspace.create();
    const [file, keysFile] = [folder.resolve('settings.yaml'), folder.resolve('keys.env')];
    const value = { a: 'yes', b: '010', c: '1:30', d: true, e: 10, f: 'off' };
    await writeSetting({ file, keysFile, path: ['config', 'mine'], value });
    const { data } = parseYamlMapping({ text: await folder.read('settings.yaml'), file });
    expect(data).toEqual({ config: { mine: value } });
  });

  it('keep a bad keys file from being used, without showing the line', async () => {
    await using folder = await TempWorkspace.create({ 'keys.env': '# c\nA=1\nsk-oops\n' });
    const reading = readKeys(folder.resolve('keys.env'));
    await expect(reading).rejects.toMatchObject({ line: 3 });
    await expect(reading).rejects.not.toThrow(/oops/);
  });

  it('are read in the forms people write', async () => {
    await using folder = await TempWorkspace.create({
      'keys.env': 'export A=1 # note\nB=\'x y\'\n C = "q\\"q"\n\nD=\nE="\\w"\r\n',
    });
    expect(await readKeys(folder.resolve('keys.env'))).toEqual({
      A: '1',
      B: 'x y',
      C: 'q"q',
      D: '',
      E: '\\w',
    });
    expect(await readKeys('/nowhere/keys.env')).toEqual({});
  });

  it('of several processes at once are all kept', async () => {
    await using folder = await TempWorkspace.create();
    const file = folder.resolve('keys.env');
    const script = fileURLToPath(new URL('./fixtures/write-keys.mjs', import.meta.url));
    const children = ['A', 'B', 'C'].map((prefix) =>
      spawn(process.execPath, [script, file, prefix], { stdio: 'inherit' }),
    );
    expect(await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]))).toEqual([
      0, 0, 0,
    ]);
    expect(Object.keys(await readKeys(file))).toHaveLength(30);
  });
});

describe('writing a setting', () => {
  it('creates the file, changes and removes a value, and refuses what would break it', async () => {
    await using folder = await TempWorkspace.create();
    const [file, keysFile] = [folder.resolve('.amplifier/settings.yaml'), folder.resolve('keys.env')];
    const write = (path: string[], value: unknown) => writeSetting({ file, keysFile, path, value });
    await write(['bundle', 'active'], 'mine');
    await write(['routing', 'matrix'], 'economy');
    await write(['bundle', 'active'], undefined);
    expect((await loadSettings({ user: file })).settings).toEqual({
      bundle: {},
      routing: { matrix: 'economy' },
    });
    await expect(write(['bundle'], 'text')).rejects.toMatchObject({ code: 'INVALID_SETTINGS' });
    await expect(writeKey(keysFile, 'A B', 'x')).rejects.toThrow(/letters, digits/);
    await expect(writeKey(keysFile, 'A', 'x\ny')).rejects.toThrow(/one line/);
    expect((await loadSettings({ user: file })).settings.routing).toEqual({ matrix: 'economy' });
  });
});
