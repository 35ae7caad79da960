import { systemClock } from '@amplifier/core';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { Host } from '../host.js';
import { hostPaths } from '../host-paths.js';
import { openProject } from '../project/open-project.js';
import { HostPool } from './host-pool.js';

it('keeps so many hosts open, those in use in any case, and opens anew what could not be opened', async () => {
  await using folder = await TempWorkspace.create({});
  await using home = await TempWorkspace.create({});
  const environment = { AMPLIFIER_HOME: home.path };
  const open = async () =>
    Host.open(await openProject({ cwd: folder.path, environment, report: () => {} }), { offline: true });
  await using pool = new HostPool({ clock: systemClock, most: 1 });
  const fail = () => Promise.reject(new Error('no'));
  const borrow = async (key: string, open: () => Promise<Host>) => {
    await using lent = await pool.lend(key, open);
    return lent.host;
  };
  await expect(pool.lend('a', fail)).rejects.toThrow('no');
  const first = await borrow('a', open);
  expect(await borrow('a', fail)).toBe(first);
  {
    await using _a = await pool.lend('a', fail);
    {
      await using _b = await pool.lend('b', open);
      expect(pool.opened).toHaveLength(2);
    }
    expect(pool.opened).toEqual([first]);
  }
  await borrow('c', open);
  expect(pool.opened).not.toContain(first);
  expect(pool.opened).toHaveLength(1);
});

it('gives a folder another key when its settings change', async () => {
  await using folder = await TempWorkspace.create({});
  await using home = await TempWorkspace.create({});
  await using pool = new HostPool({ clock: systemClock });
  const paths = hostPaths(folder.path, { AMPLIFIER_HOME: home.path });
  const before = await pool.keyOf(paths);
  expect(await pool.keyOf(paths)).toBe(before);
  await home.write('settings.yaml', 'delegation: { default_effort: low }\n');
  expect(await pool.keyOf(paths)).not.toBe(before);
});
