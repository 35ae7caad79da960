import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chaosAgentCommand } from '@amplifier/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Connection, McpScene } from '../test-support/mcp-scene.js';

const visible = [dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))];
const agent = (...flags: string[]) => ({ command: chaosAgentCommand(...flags), visible });

const AGENTS = {
  chaos: agent('--models', 'small,large', '--efforts', 'low,high'),
  stranger: { ...agent('--needs-login'), login: 'chaos login' },
  broken: agent('--exit-at-start', '3'),
  // An adapter that shakes hands and never opens a session, as one of a program too old for it does.
  stuck: {
    ...agent('--no-session'),
    underlying: 'chaos',
    install: 'npm install -g chaos',
    handshake_ms: 1500,
  },
  mute: { ...agent('--no-handshake'), handshake_ms: 1500 },
  missing: { command: ['no-such-program-of-anybody'], install: 'npm install -g missing' },
};

let scene: McpScene;
let server: Connection;
beforeAll(async () => {
  const settings = JSON.stringify({ delegation: { agents: AGENTS } });
  scene = await McpScene.create({ 'a.txt': 'one\n' }, { 'settings.yaml': settings });
  server = await scene.connect();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await scene[Symbol.asyncDispose]();
});

const doctor = async (input: Record<string, unknown>, options: object = {}) =>
  (await server.call('doctor', input, options)).structuredContent;

describe('doctor over MCP', () => {
  it('connects to every agent side by side and says version, models, login state and what is wrong', async () => {
    const told: string[] = [];
    const onprogress = ({ message }: { message?: string }) => told.push(message ?? '');
    const { agents, checks } = await doctor({ connect_only: true }, { onprogress });
    const named = (id: string) =>
      agents.find(({ agent_id }: { agent_id: string }) => agent_id === `acp:${id}`);
    expect(named('chaos')).toMatchObject({
      status: 'reachable',
      connected: true,
      answered: false,
      version: '1.0.0',
      protocol_version: 1,
      model: 'small',
      models: ['small', 'large'],
      efforts: ['low', 'high'],
      login: 'none_asked',
    });
    expect(named('stranger')).toMatchObject({
      status: 'login_required',
      connected: true,
      login: 'required',
      login_command: 'chaos login',
      detail: expect.stringContaining('Run: chaos login'),
    });
    expect(named('broken')).toMatchObject({ status: 'handshake_failed', connected: false });
    expect(named('broken').detail).toContain('cannot start');
    expect(named('broken').detail).not.toContain('abcdefgh12345678');
    expect(named('stuck')).toMatchObject({ status: 'timed_out', login: 'unknown' });
    expect(named('stuck').detail).toMatch(/after 1.5 s.*npm install -g chaos/);
    expect(named('mute')).toMatchObject({ status: 'timed_out', connected: false });
    expect(named('missing')).toMatchObject({
      status: 'not_installed',
      install_hint: 'npm install -g missing',
    });
    // Side by side: the two that never answer have waited at the same time.
    const spent = agents.reduce((sum: number, { duration_s }: { duration_s: number }) => sum + duration_s, 0);
    expect(spent).toBeGreaterThan(3);
    expect(told.join('\n')).toMatch(/waiting for .*acp:(stuck|mute)/);
    expect(checks.map(({ name }: { name: string }) => name)).toContain('sandbox');
  });

  it('connects to the one that is named, and asks it only when it may', async () => {
    const { agents } = await doctor({ agent: 'chaos', connect_only: true });
    expect(agents).toMatchObject([{ agent_id: 'acp:chaos', status: 'reachable', answered: false }]);
    const refused = await doctor({ agent: 'stranger' });
    expect(refused.agents).toMatchObject([{ status: 'login_required', answered: false }]);
  });

  it('gives up with the client, and with the time it was given', async () => {
    const { agents } = await doctor({ agent: 'mute', timeout_s: 0.5 });
    expect(agents).toMatchObject([{ status: 'timed_out', detail: expect.stringContaining('after 0.5 s') }]);
  });
});

it('says while an agent works what it is doing', async () => {
  const told: string[] = [];
  const onprogress = async ({ message = '' }: { message?: string }) => {
    told.push(message);
    if (message.includes('Change a.txt')) await scene.folder.write('go.txt', '');
  };
  const prompt = '!plan Look around\n!tool edit Change a.txt\n!hang_until go.txt\n!say Done.';
  const answer = await server.call('delegate', { cli: 'acp:chaos', prompt }, { onprogress });
  expect(answer.structuredContent.result).toMatchObject({ ok: true, text: 'Done.' });
  expect(told).toContainEqual('acp:chaos uses edit: Change a.txt');
});
