import { TempWorkspace } from '@amplifier/testkit';
import { checkGrant, grantForSafetyMode, NoSandbox } from '@amplifier/workspace';
import { expect, it } from 'vitest';
import { AgentDescriptor } from '../roster/descriptor.js';
import { agentEnv } from './agent-env.js';
import { confineAgent } from './confine-agent.js';

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

it('gives an agent what programs need and what it names, and no other variable', () => {
  const own = { PATH: '/bin', AGENT_KEY: 'k', PGPASSWORD: 'p', HTTPS_PROXY: 'http://me:pw@proxy' };
  const env = agentEnv({ env_passthrough: ['AGENT_*'], env: { MODE: 'x' } }, own);
  expect(env).toMatchObject({ PATH: '/bin', AGENT_KEY: 'k', MODE: 'x', HTTPS_PROXY: 'http://me:pw@proxy' });
  expect(env).not.toHaveProperty('PGPASSWORD');
});
