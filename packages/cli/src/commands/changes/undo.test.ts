import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, rm, stat, symlink } from 'node:fs/promises';
import { FakeModelServer } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

const call = (tool: string, input: object) => `!call ${tool} ${JSON.stringify(input)}`;

it('undoes what commands changed, too: files changed, created and removed, in a repository and without one', async () => {
  await using server = await FakeModelServer.start();
  const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `${server.url}/v1` };
  const files = { 'a.txt': 'one\n', 'gone.sh': '#!/bin/sh\n', '.gitignore': 'ignored.txt\n' };
  for (const isRepository of [true, false]) {
    await using box = await CliSandbox.create(files);
    if (isRepository)
      for (const args of [
        ['init', '-q'],
        ['add', '-A'],
      ])
        spawnSync('git', args, { cwd: box.folder.path });
    await chmod(box.folder.resolve('gone.sh'), 0o755);
    const script = 'echo two >> a.txt; rm gone.sh; mkdir new; echo n > new/n.txt; echo i > ignored.txt';
    const steps = [
      call('bash', { command: script }),
      call('bash', { command: 'echo three >> a.txt; rm ignored.txt' }),
    ];
    const done = await box.run(['run', [...steps, '!say Done.'].join('\n!then\n'), '--json'], { env });
    expect(done.json(), done.stderr).toMatchObject({ response: 'Done.' });
    expect(existsSync(box.folder.resolve('gone.sh')), done.stderr).toBe(false);
    const undone = await box.run(['undo', '--yes']);
    expect([undone.code, undone.stderr]).toMatchObject([0, expect.stringContaining('restore gone.sh')]);
    expect(await box.folder.read('a.txt')).toBe('one\n');
    expect((await stat(box.folder.resolve('gone.sh'))).mode & 0o100).toBe(0o100);
    expect(existsSync(box.folder.resolve('new/n.txt'))).toBe(false);
  }
});

it('restores permissions and line ends, runs no filter, and passes over a repository that a command makes', async () => {
  await using server = await FakeModelServer.start();
  const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `${server.url}/v1` };
  await using box = await CliSandbox.create({
    '.gitattributes': '*.txt text eol=crlf\n*.bin filter=trap\n',
    'sub/lines.txt': 'one\r\ntwo\r\n',
    'sub/private.bin': 'data',
  });
  const git = (...args: string[]) => spawnSync('git', args, { cwd: box.folder.path });
  git('init', '-q');
  git('add', '-A');
  git('config', 'filter.trap.clean', `touch '${box.folder.resolve('../ran')}'; cat`);
  await chmod(box.folder.resolve('sub/private.bin'), 0o600);
  const script =
    'echo x > lines.txt; echo x >> private.bin; chmod 644 private.bin; git init -q inner; echo i > inner/i.txt';
  const step = call('bash', { command: `cd sub; ${script}` });
  const done = await box.run(['run', `${step}\n!then\n!say Done.`], { env });
  expect(done.stderr).not.toContain('cannot be undone');
  expect(await box.folder.read('sub/lines.txt'), done.stderr).toBe('x\n');
  const undone = await box.run(['undo', '--yes']);
  expect([undone.code, undone.stderr]).toMatchObject([0, expect.stringContaining('restore sub/lines.txt')]);
  expect(await box.folder.read('sub/lines.txt')).toBe('one\r\ntwo\r\n');
  expect((await stat(box.folder.resolve('sub/private.bin'))).mode & 0o777).toBe(0o600);
  expect(existsSync(box.folder.resolve('../ran'))).toBe(false);
});

it('undoes nothing through a folder that became a link', async () => {
  await using server = await FakeModelServer.start();
  await using box = await CliSandbox.create({ 'deep/b.txt': 'two\n' });
  await using outside = await CliSandbox.create({ 'b.txt': 'changed\n' });
  const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `${server.url}/v1` };
  const step = call('bash', { command: 'echo changed > deep/b.txt' });
  await box.run(['run', `${step}\n!then\n!say Done.`], { env });
  await rm(box.folder.resolve('deep'), { recursive: true });
  await symlink(outside.folder.path, box.folder.resolve('deep'));
  const refused = await box.run(['undo', '--yes']);
  expect(refused.code, refused.stderr).not.toBe(0);
  expect(await outside.folder.read('b.txt')).toBe('changed\n');
});
