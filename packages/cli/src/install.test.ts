import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { CliSandbox } from '../test-support/run-cli.js';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

it('installs from its own package alone, without the network, and works in any folder', async () => {
  await using prefix = await TempWorkspace.create({});
  await using box = await CliSandbox.create({ 'a.txt': 'ALPHA' });
  const run = (program: string, ...args: string[]) =>
    promisify(execFile)(program, args, { cwd: box.folder.path, env: box.env });
  const pack = await run('npm', 'pack', '--json', '--pack-destination', prefix.path, PACKAGE);
  const [{ filename }] = JSON.parse(pack.stdout) as [{ filename: string }];
  const quiet = ['--offline', '--no-audit', '--no-fund'];
  await run('npm', 'install', '--global', '--prefix', prefix.path, ...quiet, prefix.resolve(filename));

  const amplifier = prefix.resolve('bin/amplifier');
  expect((await run(amplifier, '--version')).stdout).toMatch(/^amplifier \d/);
  expect((await run(amplifier, 'agent', 'list')).stdout).toMatch(/^explorer +foundation/m);
  expect((await run(amplifier, 'run', '--offline', 'delegate explorer: read a.txt')).stdout).toContain(
    'ALPHA',
  );
  expect((await run(prefix.resolve('bin/amplifierd'), '--version')).stdout).toMatch(/^\d/);
  expect((await run(amplifier, 'demo')).stdout).toMatch(/amplifier session resume \S+_explorer/);
});
