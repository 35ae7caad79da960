import { TempWorkspace } from '@amplifier/testkit';
import {
  checkGrant,
  detectSandbox,
  grantForSafetyMode,
  NoSandbox,
  sessionGrant,
  startProcess,
} from '@amplifier/workspace';
import { expect, it } from 'vitest';
import { AgentDescriptor } from '../roster/descriptor.js';
import { agentEnv } from './agent-env.js';
import { confineAgent } from './confine-agent.js';

const sandbox = await detectSandbox();

it('leaves an agent its own credentials and hides those of the others', async () => {
  await using home = await TempWorkspace.create({
    '.claude/.credentials.json': '{}',
    '.codex/auth.json': '{}',
  });
  const agent = AgentDescriptor.parse({
    id: 'claude',
    display_name: 'Claude',
    command: ['node'],
    state_paths: ['home:.claude'],
  });
  const grant = grantForSafetyMode('write', { cwd: home.path, trusted: true, home: home.path });
  const confined = await confineAgent(
    agent,
    process.execPath,
    { HOME: home.path },
    { grant, safety_mode: 'write' },
    new NoSandbox('none here'),
  );
  const may = (path: string) =>
    checkGrant(confined.grant, { kind: 'read', path: home.resolve(path) }).allowed;
  expect([may('.claude/.credentials.json'), may('.codex/auth.json')]).toEqual([true, false]);
});

it.runIf(sandbox.name !== 'none')(
  'lets an agent write its own files in a home where others are protected',
  async () => {
    const files = ['.config/own/a', '.config/other/a', '.own/a', '.other/a'];
    await using home = await TempWorkspace.create(Object.fromEntries(files.map((name) => [name, 'old'])));
    const agent = AgentDescriptor.parse({
      id: 'own',
      display_name: 'Own',
      command: ['node'],
      state_paths: ['home:.config/own', 'home:.own'],
    });
    const context = { cwd: home.path, trusted: true, home: home.path, homes: [] };
    const grant = await sessionGrant('write', context);
    const session = { grant, safety_mode: 'write' as const };
    const confined = await confineAgent(agent, process.execPath, { HOME: home.path }, session, sandbox);
    const line = files.map((name) => `echo new > ${name}`).join('; ');
    const running = await startProcess({
      command: ['bash', '-c', line],
      cwd: home.path,
      grant: confined.grant,
      sandbox,
      staysOn: true,
    });
    await running.done;
    const written = await Promise.all(files.map(async (name) => (await home.read(name)).trim()));
    expect(written).toEqual(['new', 'old', 'new', 'old']);
  },
);

it('shows an agent the folders that its entry names, also where a name ends in a slash', async () => {
  await using home = await TempWorkspace.create({ 'program/main.js': '' });
  const folder = home.resolve('program');
  const entry = { id: 'own', display_name: 'Own', command: ['node'], visible: [`${folder}/`] };
  const grant = grantForSafetyMode('read_only', { cwd: home.path, trusted: true, home: home.path });
  const confined = await confineAgent(
    AgentDescriptor.parse(entry),
    process.execPath,
    { HOME: home.path },
    { grant, safety_mode: 'read_only' },
    new NoSandbox('none here'),
  );
  expect(confined.visible).toContain(folder);
});

it('gives an agent what programs need and what it names, and no other variable', () => {
  const own = { PATH: '/bin', AGENT_KEY: 'k', PGPASSWORD: 'p', HTTPS_PROXY: 'http://me:pw@proxy' };
  const env = agentEnv({ env_passthrough: ['AGENT_*'], env: { MODE: 'x' } }, own);
  expect(env).toMatchObject({ PATH: '/bin', AGENT_KEY: 'k', MODE: 'x', HTTPS_PROXY: 'http://me:pw@proxy' });
  expect(env).not.toHaveProperty('PGPASSWORD');
});
