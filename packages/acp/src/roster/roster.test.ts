import { describe, expect, it } from 'vitest';
import { acpAgents, splitTarget } from './agent-catalog.js';
import { BUILTIN_AGENTS } from './builtin-agents.js';
import { importAcpJson } from './import-acp-json.js';
import { buildRoster } from './roster.js';

describe('the roster', () => {
  it('knows twenty agents out of the box, each by one id', () => {
    const { ids } = buildRoster();
    expect(ids).toHaveLength(20);
    expect(new Set(BUILTIN_AGENTS.map(({ id }) => id)).size).toBe(20);
    expect(ids).toEqual([...ids].sort());
  });

  it('lays settings over a built-in, and leaves the rest of it as it is', () => {
    const { env, command, default_model, login } = buildRoster({
      agents: { gemini: { env: { A: '1' }, extra_args: ['--debug'], default_model: 'pro' } },
    }).get('gemini');
    expect({ env, command, default_model, login }).toEqual({
      env: { A: '1' },
      command: ['gemini', '--acp', '--debug'],
      default_model: 'pro',
      login: 'gemini',
    });
  });

  it('makes a new agent from a command, or from a built-in', () => {
    const roster = buildRoster({
      agents: { mine: { command: ['mine', 'acp'] }, fast: { base: 'codex', default_model: 'mini' } },
    });
    expect(roster.get('mine')).toMatchObject({ command: ['mine', 'acp'], levers: {} });
    expect(roster.get('fast')).toMatchObject({ id: 'fast', command: ['codex-acp'], default_model: 'mini' });
  });

  it('does not hand the flags of one program to another', () => {
    const { model_channel, env_passthrough } = buildRoster({
      agents: { cursor: { command: ['other'] } },
    }).get('cursor');
    expect(model_channel).toBeNull();
    expect(env_passthrough).toContain('CURSOR_*');
  });

  it('leaves out what is disabled or not on the list', () => {
    const roster = buildRoster({ agents: { goose: { enabled: false } }, enabled_agents: ['goose', 'codex'] });
    expect(roster.ids).toEqual(['codex']);
  });

  it.each([
    ['a new agent without a command', { x: {} }, /'x'.*needs a 'command'/],
    ['a base that is none', { x: { base: 'nobody' } }, /'nobody' is none/],
    ['a member nobody knows', { codex: { comand: ['x'] } }, /comand/],
    ['an id that is no id', { 'a b': { command: ['x'] } }, /letters, digits/],
  ])('refuses %s and says which', (_name, agents, message) => {
    expect(() => buildRoster({ agents })).toThrow(message);
  });

  it('offers its agents to delegate to by acp:<id>, and names the nearest for a typo', async () => {
    const catalog = acpAgents(buildRoster());
    expect(await catalog.find('acp:codex')).toMatchObject({ engine: 'acp:codex', origin: 'roster' });
    expect(await catalog.find('codex')).toBeNull();
    expect(await catalog.names()).toContain('acp:claude_code');
    await expect(catalog.find('acp:codx')).rejects.toThrow(/Did you mean 'codex'/);
  });

  it('splits a target after the longest known id', () => {
    const roster = buildRoster({ agents: { codex_fast: { base: 'codex' } } });
    expect(splitTarget('codex:gpt:5', roster)).toEqual({ id: 'codex', model: 'gpt:5' });
    expect(splitTarget('acp:codex_fast', roster)).toEqual({ id: 'codex_fast', model: null });
    expect(splitTarget('nobody', roster)).toEqual({ id: 'nobody', model: null });
  });

  it('takes agents from an editor’s acp.json, but for those that are built in or broken', () => {
    const { agents, skipped } = importAcpJson(
      {
        agent_servers: {
          'My Agent': { command: 'mine', args: ['acp'], env: { A: '1' } },
          gemini: { command: 'g' },
          bad: {},
        },
      },
      buildRoster().ids,
    );
    expect(agents).toEqual({
      my_agent: { display_name: 'My Agent', command: ['mine', 'acp'], env: { A: '1' } },
    });
    expect(skipped).toHaveLength(2);
    expect(buildRoster({ agents }).get('my_agent').command).toEqual(['mine', 'acp']);
    expect(importAcpJson(null, []).skipped).toHaveLength(1);
  });
});
