import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { detectSandbox } from '@amplifier/host';
import { FakeModelServer } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

const sandbox = await detectSandbox();
if (sandbox.name === 'none') console.warn(`SKIPPED: planted repositories. ${sandbox.because}`);

it.skipIf(sandbox.name === 'none')(
  'a command that makes its folder a bare repository, or puts acting names below it, is told what was renamed',
  async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create({ 'a.txt': 'a' });
    await box.run(['trust', '--json']);
    const command =
      'git init -q --bare x; mv x/* .; git --git-dir=. config core.fsmonitor "touch planted"; mkdir sub; echo evil > sub/.envrc';
    const task = `!call bash ${JSON.stringify({ command })}\n!then\n!say Done.`;
    const ran = await box.run(['run', '--json', '--safety', 'write', task], {
      env: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `${server.url}/v1` },
    });
    expect(ran.json(), ran.stderr).toMatchObject({ response: 'Done.' });
    const told = JSON.stringify(server.exchanges.at(-1)?.body);
    for (const name of ['HEAD', 'sub/.envrc'])
      expect(told).toContain(`may not write ${box.folder.resolve(name)}, so it was renamed`);
    expect(existsSync(box.folder.resolve('HEAD'))).toBe(false);
  },
);

it('git of ours reads no settings of a folder that only looks like a repository', async () => {
  await using box = await CliSandbox.create({ 'a.txt': 'a' });
  for (const name of ['objects', 'refs/heads']) await mkdir(box.folder.resolve(name), { recursive: true });
  await writeFile(box.folder.resolve('HEAD'), 'ref: refs/heads/main\n');
  // Git that reads them complains.
  await writeFile(box.folder.resolve('config'), '[core\n');
  const ran = await box.run(['run', '--offline', '--safety', 'propose', 'hello']);
  expect([ran.code, ran.stderr]).toEqual([0, expect.not.stringContaining('bad config')]);
});
