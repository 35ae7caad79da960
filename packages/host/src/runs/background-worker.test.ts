import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it, vi } from 'vitest';
import { hostPaths } from '../host-paths.js';
import { WorkerStarter } from './background-worker.js';

it.runIf(existsSync('/proc/self/fd'))('waking workers again and again leaves no file open', async () => {
  await using home = await TempWorkspace.create();
  const report = vi.fn();
  const paths = hostPaths(home.path, { AMPLIFIER_HOME: home.path });
  // It ends at once, so that each time another has to be started.
  const command = { program: process.execPath, args: ['--version'] };
  const wake = async () => {
    const starter = new WorkerStarter(command, paths, true, report);
    starter.wake();
    await starter.close();
  };
  const open = async () => (await readdir('/proc/self/fd')).length;
  await wake();
  const before = await open();
  for (let time = 0; time < 16; time++) await wake();
  // What the system itself holds of processes that are just ending goes with them.
  await vi.waitFor(async () => expect(await open()).toBeLessThan(before + 8), { timeout: 20_000 });
  expect(report).not.toHaveBeenCalled();
});
