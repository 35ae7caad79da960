import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { hostPaths } from '../host-paths.js';
import { openProject } from '../project/open-project.js';
import { folderTrust } from '../trust/folder-trust.js';
import { trustFolder } from '../trust/trust-folder.js';
import { externalAgents } from './list-external-agents.js';
import { readRoster } from './read-roster.js';

async function project(files: Record<string, string>) {
  const space = await TempWorkspace.create(files);
  const said: string[] = [];
  const environment = { AMPLIFIER_HOME: space.resolve('home'), PATH: space.resolve('bin') };
  const paths = hostPaths(space.resolve('work'), environment);
  await trustFolder(paths, await folderTrust(paths));
  const opened = await openProject({
    cwd: space.resolve('work'),
    environment,
    report: ({ message }) => said.push(message),
  });
  return Object.assign(opened, { said, [Symbol.asyncDispose]: () => space[Symbol.asyncDispose]() });
}

describe('the external agents of a folder', () => {
  it('are the built-in ones, those of acp.json, and what the settings make of both', async () => {
    const servers = { 'My Agent': { command: 'mine', args: ['--acp'] }, Goose: { command: 'x' } };
    const agents = {
      opencode: { default_model: 'large', effort: 'high', timeout_s: 60 },
      my_agent: { default_model: 'small' },
      'acp:kiro': { enabled: false },
      near: { base: 'gemini', extra_args: ['--debug'] },
      reviewer: { effort: 'high', fallback_model: 'other' },
    };
    await using found = await project({
      'home/acp.json': JSON.stringify({ agent_servers: servers }),
      'home/settings.yaml': JSON.stringify({ delegation: { agents } }),
      'work/.amplifier/acp.json': JSON.stringify({ agent_servers: { Theirs: { command: 'theirs' } } }),
    });
    const roster = await readRoster(found);
    expect(roster.get('opencode')).toMatchObject({
      default_model: 'large',
      default_effort: 'high',
      timeout: 60,
    });
    expect(roster.get('my_agent')).toMatchObject({ command: ['mine', '--acp'], default_model: 'small' });
    expect(roster.get('near').command.at(-1)).toBe('--debug');
    expect(roster.has('theirs')).toBe(true);
    expect(roster.has('kiro')).toBe(false);
    // A Markdown agent of the section is none of the roster's.
    expect(roster.has('reviewer')).toBe(false);
    expect(found.said.join()).toContain("'Goose' is built in");
  });

  it('say whether they are installed', async () => {
    await using found = await project({ 'work/a.txt': '', 'bin/goose': '#!/bin/sh\n' });
    const { chmod } = await import('node:fs/promises');
    await chmod(`${found.environment.PATH}/goose`, 0o755);
    const agents = await externalAgents(found);
    const named = (name: string) => agents.find((agent) => agent.name === name);
    expect(named('acp:goose')?.program).toBe(`${found.environment.PATH}/goose`);
    expect(named('acp:codex')?.program).toBeNull();
  });

  it('cannot be read from an acp.json that is no JSON, and the message names the file', async () => {
    await using found = await project({ 'work/a.txt': '', 'home/acp.json': '{' });
    await expect(readRoster(found)).rejects.toMatchObject({
      code: 'ACP_JSON_INVALID',
      message: expect.stringContaining('acp.json'),
    });
  });
});
