import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { McpScene, PROGRAM } from '../test-support/mcp-scene.js';

it('a server serves on when the last folder is untrusted, and with names in the settings that have nothing behind them', async () => {
  await using scene = await McpScene.create(
    { 'a.txt': 'one\n' },
    {
      'agents/helper.md': '---\nname: helper\ndescription: Helps.\n---\nYou help.\n',
      'settings.yaml': 'delegation:\n  agents:\n  role_dirs:\n  default_effort:\n',
    },
  );
  await using server = await scene.connect();
  const amplifier = (word: string) =>
    promisify(execFile)(process.execPath, [PROGRAM, '--cwd', scene.folder.path, word, '.'], {
      cwd: scene.folder.path,
      env: scene.env,
    });
  await amplifier('trust');
  await amplifier('untrust');
  expect(await scene.home.read('settings.yaml')).toMatch(/trusted_workspaces:/);
  const answer = await server.call('delegate', { cli: 'helper', prompt: '!say Still here.' });
  expect(answer.structuredContent?.result, JSON.stringify(answer)).toMatchObject({ ok: true });
  const refused = await server.call('delegate', { cli: 'helper', prompt: 'x', safety_mode: 'write' });
  expect(JSON.stringify(refused._meta)).toContain('WORKSPACE_NOT_TRUSTED');
  for (const name of ['list_roles', 'capabilities']) expect((await server.call(name)).isError).toBeFalsy();
});
