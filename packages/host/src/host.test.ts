import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Diagnostic } from '@amplifier/core';
import { delegateConfigOf } from '@amplifier/delegation';
import type { SqlSessionStore } from '@amplifier/sessions';
import { FakeModelServer, TempWorkspace } from '@amplifier/testkit';
import { detectSandbox } from '@amplifier/workspace';
import { describe, expect, it } from 'vitest';
import { Host } from './host.js';
import { hostPaths } from './host-paths.js';
import { openProject } from './project/open-project.js';
import { backgroundWorker } from './runs/background-worker.js';
import { findSession } from './store/find-session.js';
import { folderTrust } from './trust/folder-trust.js';
import { trustFolder } from './trust/trust-folder.js';

const agent = (name: string, words: string) =>
  `---\nmeta:\n  name: ${name}\n  description: ${words}\n---\n${words}\n`;

async function places(files: Record<string, string> = {}) {
  const folder = await TempWorkspace.create(files);
  const home = await TempWorkspace.create({});
  return { folder, home, environment: { AMPLIFIER_HOME: home.path } };
}

it.each(['read_only', 'write', 'yolo'] as const)(
  'no session reads or writes the home it runs from, wherever that lies, in the mode %s',
  async (safety_mode) => {
    await using server = await FakeModelServer.start();
    await using folder = await TempWorkspace.create({ 'mine/keys.env': 'SOME_KEY=canary-1234\n' });
    const provider = `{ module: provider-openai-compatible, config: { base_url: "${server.url}/v1", default_model: fake-1 } }`;
    await folder.write('mine/settings.yaml', `config:\n  providers: [${provider}]\n`);
    const environment = { ...process.env, AMPLIFIER_HOME: folder.resolve('mine') };
    const project = await openProject({ cwd: folder.path, environment });
    await using host = await Host.open(project, {});
    const calls = [
      ['read_file', { file_path: 'mine/keys.env' }],
      ['read_file', { file_path: folder.resolve('mine/settings.yaml') }],
      ['write_file', { file_path: 'mine/settings.yaml', content: 'x: 1' }],
      ['bash', { command: 'cat mine/keys.env' }],
    ].map(([tool, input]) => `!call ${tool} ${JSON.stringify(input)}`);
    const instruction = [...calls, '!say Done.'].join('\n!then\n');
    const { launch } = await host.run({ instruction, safety_mode, trusted: true });
    const told = (await host.store.messages(launch.session_id)).filter(({ role }) => role === 'tool');
    expect(told).toHaveLength(4);
    expect(JSON.stringify(told)).not.toContain('canary-1234');
    expect(JSON.stringify(told)).not.toContain('fake-1');
    expect(await folder.read('mine/settings.yaml')).toContain('fake-1');
    expect(await folder.read('mine/.gitignore')).toBe('*\n');
  },
);

/** A command in write mode that leaves something behind, in a process of its own. */
const COMMAND = `
  const { detectSandbox, sessionGrant, startProcess } = await import(process.argv[2]);
  const grant = await sessionGrant('write', { cwd: process.argv[1], trusted: true, homes: [] });
  const command = ['bash', '-c', 'mkdir .amplifier; echo "evil: 1" > .amplifier/settings.yaml; echo up; sleep 600'];
  const onOutput = (_, chunk) => process.stdout.write(chunk);
  const sandbox = await detectSandbox();
  await (await startProcess({ command, cwd: process.argv[1], grant, sandbox, onOutput })).done;
`;

it.runIf((await detectSandbox()).name !== 'none')(
  'a project is not opened with what a command left in it whose process was killed, and says so',
  async () => {
    const { folder, home, environment } = await places();
    await using _ = folder;
    await using __ = home;
    const cwd = await realpath(folder.path);
    const index = new URL('../../workspace/dist/index.js', import.meta.url).href;
    const owner = spawn(process.execPath, ['--input-type=module', '-e', COMMAND, cwd, index], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(owner.stdout, 'data');
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    const told: Diagnostic[] = [];
    await openProject({ cwd, environment, report: (diagnostic) => told.push(diagnostic) });
    expect(told.map(({ code }) => code)).toEqual(['HELD_BACK']);
    expect(existsSync(join(cwd, '.amplifier/settings.yaml'))).toBe(false);
  },
);

it('two users of one process have each their own keys, and the process none of them', async () => {
  await using server = await FakeModelServer.start();
  const before = { ...process.env };
  const ask = async (keys: string) => {
    const { folder, home } = await places();
    await using _folder = folder;
    await using _home = home;
    await home.write('keys.env', `${keys}ANTHROPIC_BASE_URL=${server.url}/v1\n`);
    await home.write('settings.yaml', 'config:\n  providers: [{ module: provider-anthropic }]\n');
    const environment = { AMPLIFIER_HOME: home.path, PATH: process.env.PATH };
    const project = await openProject({ cwd: folder.path, environment });
    await using host = await Host.open(project);
    const { outcome } = await host.run({
      instruction: '!say Hello.',
      safety_mode: 'read_only',
      trusted: false,
    });
    return outcome.status;
  };
  expect(await ask('ANTHROPIC_API_KEY=sk-of-the-first\n')).toBe('completed');
  expect(await ask('ANTHROPIC_API_KEY=sk-of-the-second\n')).toBe('completed');
  await expect(ask('')).rejects.toThrow(/provider-anthropic/);
  const sent = server.exchanges.map(({ headers }) => headers['x-api-key']);
  expect([...new Set(sent)]).toEqual(['sk-of-the-first', 'sk-of-the-second']);
  expect(process.env).toEqual(before);
});

describe('a project', () => {
  it('knows every place from the folder and AMPLIFIER_HOME alone', () => {
    const paths = hostPaths('/work/app', { AMPLIFIER_HOME: '/home/me/amp' });
    expect(paths).toMatchObject({
      home: '/home/me/amp',
      project: '/work/app/.amplifier',
      keys: '/home/me/amp/keys.env',
      sessions: '/home/me/amp/projects/-work-app/sessions',
      queue: '/home/me/amp/projects/-work-app/queue',
      settings: { user: '/home/me/amp/settings.yaml', local: '/work/app/.amplifier/settings.local.yaml' },
    });
  });

  it('puts the user’s agent in the roster in the place of the bundle’s, and the project’s beside them', async () => {
    const { folder, home, environment } = await places({
      '.amplifier/agents/ours.md': agent('ours', 'OURS'),
    });
    await using _ = folder;
    await using __ = home;
    await home.write('agents/explorer.md', agent('explorer', 'MINE'));
    const project = await openProject({ cwd: folder.path, environment });
    const { agents } = (await project.plan()) as { agents: Record<string, { instruction: string }> };
    expect(agents.explorer?.instruction).toContain('MINE');
    expect(agents.ours?.instruction).toContain('OURS');
    expect(agents.reviewer?.instruction).toContain('review');
  });

  it.each([
    ['agents: none', []],
    ['agents: [explorer]', ['explorer']],
  ])('keeps a session to the agents that its bundle allows: %s', async (access, allowed) => {
    const { folder, home, environment } = await places({
      'own.yaml': `bundle: { name: own }\nincludes: [foundation]\n${access}\n`,
      '.amplifier/agents/ours.md': agent('ours', 'OURS'),
    });
    await using _ = folder;
    await using __ = home;
    const project = await openProject({ cwd: folder.path, environment, bundle: './own.yaml' });
    const plan = await project.plan();
    expect(Object.keys(plan.agents as object)).toEqual(allowed);
    await using host = await Host.open(project, { offline: true });
    const ended = await host.run({ instruction: 'Hello.', safety_mode: 'read_only', trusted: true });
    const parent = await host.delegator.parent(ended.launch.session_id);
    for (const name of ['ours', 'reviewer', 'codex', 'acp:codex', 'acp:opencode'])
      await expect(host.delegator.plan({ agent: name, instruction: 'x' }, parent)).rejects.toThrow(
        `Agent '${name}' not found`,
      );
    const self = host.delegator.plan({ agent: 'self', instruction: 'x' }, parent);
    if (allowed.length > 0) await self;
    else await expect(self).rejects.toThrow('may not delegate, not even to itself');
  });

  it('gives children of our bundle neither delegate nor task', async () => {
    await using server = await FakeModelServer.start();
    const { folder, home, environment } = await places({
      'own.yaml': 'bundle: { name: own }\nincludes: [foundation, foundation:behaviors/tasks]\n',
    });
    await using _ = folder;
    await using __ = home;
    const provider = `{ module: provider-openai-compatible, config: { base_url: "${server.url}/v1", default_model: fake-1 } }`;
    await home.write('settings.yaml', `config:\n  providers: [${provider}]\n`);
    const project = await openProject({ cwd: folder.path, environment, bundle: './own.yaml' });
    await using host = await Host.open(project, {});
    const given = { agent: 'explorer', instruction: '!say Seen.' };
    // Without the conversation so far: the model behind it does what it reads.
    const alone = JSON.stringify({ ...given, context_depth: 'none' });
    const instruction = `!call delegate ${alone}\n!then\n!call task ${JSON.stringify(given)}\n!then\n!say Done.`;
    const { launch } = await host.run({ instruction, safety_mode: 'read_only', trusted: true });
    const modulesOf = async (session_id: string) => {
      const plan = (await host.store.document(session_id, 'launch'))?.plan as { tools: { module: string }[] };
      return plan.tools.map(({ module }) => module);
    };
    const both = ['tool-delegate', 'tool-task'];
    expect(await modulesOf(launch.session_id)).toEqual(expect.arrayContaining(both));
    const children = await host.store.children(launch.session_id);
    expect(children.map(({ status }) => status)).toEqual(['completed', 'completed']);
    for (const { session_id } of children) {
      const tools = await modulesOf(session_id);
      expect(tools).toContain('tool-filesystem');
      expect(tools.filter((tool) => both.includes(tool))).toEqual([]);
    }
  });

  it('takes the config of a module by its id, in the settings and at the top of a bundle', async () => {
    const timeout = (seconds: number) =>
      `modules:\n  tool-delegate:\n    settings: { timeout: ${seconds} }\n`;
    const { folder, home, environment } = await places({
      'own.yaml': `bundle: { name: own }\nincludes: [foundation]\n${timeout(77)}`,
      'bare.yaml': `bundle: { name: bare }\n${timeout(78)}`,
      'wrong.yaml': 'bundle: { name: wrong }\nmodules: { delegate: {} }\n',
    });
    await using _ = folder;
    await using __ = home;
    const open = (bundle: string, report = (_: Diagnostic) => {}) =>
      openProject({ cwd: folder.path, environment, bundle, report });
    const configs = async (bundle: string) =>
      delegateConfigOf(await (await open(bundle)).plan()).settings.timeout;
    expect(await configs('./own.yaml')).toBe(77);
    expect(await configs('./bare.yaml')).toBe(78);
    await expect(open('./wrong.yaml')).rejects.toThrow(/wrong\.yaml:2.*modules: \{ tool-delegate/s);
    await home.write('settings.yaml', `${timeout(99)}  tool-nowhere: { a: 1 }\n`);
    expect(await configs('foundation')).toBe(99);
    const told: string[] = [];
    await (await open('foundation', ({ message }) => told.push(message))).plan();
    expect(told).toEqual([expect.stringContaining("'tool-nowhere'")]);
    await home.write('settings.yaml', 'modules: { tool-delegate: 5 }\n');
    await expect(open('foundation')).rejects.toThrow(/settings\.yaml:1.*tool-delegate/s);
  });

  it('has an agent that only the environment names in its list and in the roster a model sees', async () => {
    const { folder, home, environment } = await places({ 'special.md': agent('special', 'ONE-OFF') });
    await using _ = folder;
    await using __ = home;
    const variables = { ...environment, AMPLIFIER_AGENT_SPECIAL_ANALYZER: folder.resolve('special.md') };
    const project = await openProject({ cwd: folder.path, environment: variables });
    const { agents } = await project.agents.listAgents();
    expect(agents.filter(({ origin }) => origin.startsWith('env '))).toMatchObject([
      { name: 'special-analyzer', origin: 'env AMPLIFIER_AGENT_SPECIAL_ANALYZER' },
    ]);
    expect((await project.plan()).agents).toMatchObject({
      'special-analyzer': { instruction: expect.stringContaining('ONE-OFF') },
    });
    const other = { ...environment, AMPLIFIER_AGENT_EXPLORER: folder.resolve('special.md') };
    const overridden = await openProject({ cwd: folder.path, environment: other });
    const names = (await overridden.agents.listAgents()).agents.map(({ name }) => name);
    expect(names.filter((name) => name === 'explorer')).toHaveLength(1);
  });

  it('lays settings over the bundle, local over project over user', async () => {
    const { folder, home, environment } = await places({
      '.amplifier/settings.yaml':
        'config:\n  providers:\n    - module: provider-anthropic\n      config: { default_model: project-model }\n',
      '.amplifier/settings.local.yaml':
        'config:\n  providers:\n    - module: provider-anthropic\n      config: { default_model: local-model }\n',
    });
    await using _ = folder;
    await using __ = home;
    await home.write(
      'settings.yaml',
      'config:\n  providers:\n    - module: provider-anthropic\n      config: { default_model: user-model, priority: 3 }\n',
    );
    const paths = hostPaths(folder.path, environment);
    await trustFolder(paths, await folderTrust(paths));
    const project = await openProject({ cwd: folder.path, environment });
    expect((await project.plan()).providers).toEqual([
      expect.objectContaining({
        module: 'provider-anthropic',
        config: { default_model: 'local-model', priority: 3 },
      }),
    ]);
  });
});

describe('a host', () => {
  async function withServer(files: Record<string, string> = {}) {
    const server = await FakeModelServer.start();
    const { folder, home, environment } = await places(files);
    await home.write(
      'settings.yaml',
      `config:\n  providers:\n    - module: provider-openai-compatible\n      config: { base_url: "${server.url}/v1", default_model: fake-1, api_key: "\${HOST_TEST_KEY}" }\n`,
    );
    await home.write('keys.env', 'HOST_TEST_KEY=sk-from-the-file\n');
    const project = await openProject({ cwd: folder.path, environment });
    const host = await Host.open(project);
    return {
      server,
      folder,
      home,
      project,
      host,
      async [Symbol.asyncDispose]() {
        await host.close();
        for (const each of [server, folder, home]) await each[Symbol.asyncDispose]();
      },
    };
  }
  const asked = { safety_mode: 'read_only', trusted: true } as const;

  it('runs, resumes and forks, and never writes a key to disk', async () => {
    await using bench = await withServer();
    const { outcome, launch } = await bench.host.run({ instruction: '!say One.', ...asked });
    expect(outcome).toMatchObject({ status: 'completed', text: 'One.' });
    expect(bench.server.exchanges[0]?.headers.authorization).toBe('Bearer sk-from-the-file');
    expect(JSON.stringify(launch)).not.toContain('sk-from-the-file');
    const again = await bench.host.delegator.resume(outcome.session_id, '!say Two.');
    expect(again.outcome).toMatchObject({ text: 'Two.' });
    const { session_id: fork } = await bench.host.delegator.fork(outcome.session_id, { turn: 1 });
    const third = await bench.host.delegator.resume(fork, '!say Three.');
    expect(third.outcome).toMatchObject({ session_id: fork, text: 'Three.' });
    const sent = JSON.stringify(bench.server.exchanges.at(-1)?.body);
    expect(sent).toContain('One.');
    expect(sent).not.toContain('Two.');
  });

  it('keeps the bundle a session was made of beside it: the snapshot loads to the same plan', async () => {
    await using bench = await withServer();
    const { outcome } = await bench.host.run({ instruction: '!say One.', ...asked });
    const file = join(bench.project.paths.sessions, outcome.session_id, 'bundle.md');
    await (bench.host.store as SqlSessionStore).writeCopies();
    const kept = await openProject({
      cwd: bench.folder.path,
      environment: { AMPLIFIER_HOME: bench.home.path },
      bundle: file,
    });
    const { agents, tools } = bench.project.bundle;
    expect(kept.bundle).toMatchObject({ name: 'foundation', agents, tools, warnings: [] });
    const { session_id } = await bench.host.create(asked);
    expect(await bench.host.store.document(session_id, 'bundle')).toBe(await readFile(file, 'utf8'));
  });

  it('delegates on behalf of a session that does not run, with its conversation', async () => {
    await using bench = await withServer();
    const { session_id } = await bench.host.create(asked);
    const parent = await bench.host.parent(session_id);
    const delegation = await bench.host.delegator.delegate(
      { agent: 'explorer', instruction: '!say Seen.' },
      parent,
      bench.host.delegateConfig,
    );
    expect(delegation).toMatchObject({ kind: 'outcome', outcome: { status: 'completed', text: 'Seen.' } });
    expect(await bench.host.store.children(session_id)).toHaveLength(1);
  });

  it('keeps in the log of the session that a task was handed over and how it ended', async () => {
    await using bench = await withServer();
    const { host } = bench;
    const { session_id } = await host.create(asked);
    const delegation = await host.delegate(session_id, { agent: 'explorer', instruction: '!say Seen.' });
    expect(delegation).toMatchObject({ kind: 'outcome', outcome: { text: 'Seen.' } });
    const told = async () =>
      (await host.store.events(session_id))
        .map(({ name }) => name)
        .filter((name) => name.startsWith('delegate:'));
    expect(await told()).toEqual(['delegate:agent_spawned', 'delegate:agent_completed']);
    expect((await host.store.metadata(session_id)).agent_invocations).toBe(1);
    const busy = await host.store.open(session_id);
    const { launch } = await host.delegate(session_id, { agent: 'explorer', instruction: '!say Told.' });
    await busy.close();
    expect(await told()).toHaveLength(2);
    expect(await host.store.mail(session_id)).toMatchObject([
      { kind: 'completion', from: launch.session_id, body: { text: 'Told.' } },
    ]);
  });

  it('leaves background children to the one worker that is at work', async () => {
    await using bench = await withServer();
    const { host, project } = bench;
    const stop = new AbortController();
    const serving = host.serve(stop.signal, 60_000);
    const mark = bench.folder.resolve('started');
    while (!(await backgroundWorker(project.paths))) await new Promise(setImmediate);
    await host.serve(stop.signal);
    const args = ['-e', `require('node:fs').appendFileSync(${JSON.stringify(mark)}, 'x')`];
    await using other = await Host.open(project, { worker: { program: process.execPath, args } });
    const { session_id } = await other.create(asked);
    const children: string[] = [];
    for (const text of ['One.', 'Two.', 'Three.']) {
      const request = { agent: 'explorer', instruction: `!say ${text}`, background: true };
      children.push((await other.delegate(session_id, request)).launch.session_id);
    }
    const outcomes = await other.delegator.control.wait(children);
    expect(outcomes.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
    await other.close();
    expect(existsSync(mark)).toBe(false);
    stop.abort();
    await serving;
  });

  it('runs waiting background children and stops when there are none', async () => {
    await using bench = await withServer();
    const { session_id } = await bench.host.create(asked);
    const parent = await bench.host.parent(session_id);
    const { launch } = await bench.host.delegator.delegate(
      { agent: 'explorer', instruction: '!say Later.', background: true },
      parent,
    );
    const [outcome] = await bench.host.delegator.control.wait([launch.session_id]);
    expect(outcome).toMatchObject({ status: 'completed', text: 'Later.' });
  });

  it('puts the files a prompt mentions before it', async () => {
    await using bench = await withServer({ 'notes.md': 'THE NOTES' });
    await bench.host.run({ instruction: 'Read @notes.md\n!say Ok.', ...asked });
    expect(JSON.stringify(bench.server.exchanges[0]?.body)).toContain('THE NOTES');
  });

  it('finds a session by the first characters of its id, with or without the word session_', async () => {
    await using bench = await withServer();
    const { outcome } = await bench.host.run({ instruction: '!say One.', ...asked });
    const { session_id } = outcome;
    const away = hostPaths('/', { AMPLIFIER_HOME: bench.home.path });
    for (const text of [session_id, session_id.slice(0, 20), session_id.slice(8, 20)]) {
      expect(await findSession(text, away)).toMatchObject({ session_id, working_dir: bench.folder.path });
    }
    await expect(findSession('../x', away)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('names the agents, providers and roles there are when one is asked for that is not', async () => {
    await using bench = await withServer();
    const run = (wish: object) => bench.host.run({ instruction: 'x', ...asked, ...wish });
    await expect(run({ agent: 'explorr' })).rejects.toThrow("Did you mean 'explorer'?");
    await expect(run({ provider: 'openai-compatibel' })).rejects.toThrow("Did you mean 'openai-compatible'?");
    await expect(run({ role: 'fst' })).rejects.toThrow("Did you mean 'fast'?");
  });

  it('leaves the routing hook out where its matrix knows none of the providers', async () => {
    await using bench = await withServer();
    const { outcome } = await bench.host.run({ instruction: '!say One.', ...asked });
    expect(outcome.warnings).toEqual([]);
  });
});

it('without any model a run is refused with the reasons', async () => {
  const { folder, home, environment } = await places();
  await using _ = folder;
  await using __ = home;
  const before = process.env.ANTHROPIC_API_KEY;
  delete process.env.ANTHROPIC_API_KEY;
  await using host = await Host.open(await openProject({ cwd: folder.path, environment }));
  await expect(host.run({ instruction: 'x', safety_mode: 'read_only', trusted: true })).rejects.toMatchObject(
    { code: 'NO_MODEL' },
  );
  if (before !== undefined) process.env.ANTHROPIC_API_KEY = before;
});
