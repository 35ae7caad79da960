import { flatCopies, openRecord } from '@amplifier/sessions/record';
import { TempWorkspace } from '@amplifier/testkit';
import { amplifierHome, deploymentHome } from '@amplifier/workspace';
import { expect, it, vi } from 'vitest';
import { hostPaths } from '../host-paths.js';
import { earlierHomes, importHome } from './earlier-homes.js';
import { openStore } from './open-store.js';

it('finds the home of a server in the working folder and imports its sessions once', async () => {
  await using box = await TempWorkspace.create({ 'work/.amplifierd/state/keep': '' });
  const old = box.resolve('work/.amplifierd');
  const environment = { AMPLIFIER_HOME: box.resolve('home'), AMPLIFIERD_HOME: box.resolve('none') };
  const copies = flatCopies(`${old}/state/sessions`);
  const before = await openRecord(`${old}/state/record.db`, { copies });
  const log = await before.create({ session_id: 'session_old', name: 'Old' });
  await log.appendMessages([{ role: 'user', content: 'Hello.' }]);
  await before.close();
  expect(earlierHomes(box.resolve('work'), environment)).toEqual([old]);
  const paths = hostPaths(box.resolve('work'), environment);
  expect(await importHome(old, paths, () => {})).toBe(1);
  expect(await importHome(old, paths, () => {})).toBe(0);
  await using store = await openStore(paths.sessions);
  expect(await store.metadata('session_old')).toMatchObject({ name: 'Old', message_count: 1 });
});

it('has no home below the working folder: an empty HOME and a relative path are errors', () => {
  vi.stubEnv('HOME', '');
  try {
    expect(() => amplifierHome({})).toThrow(/HOME is empty/);
    expect(() => deploymentHome({})).toThrow(/HOME is empty/);
    expect(amplifierHome({ AMPLIFIER_HOME: '/elsewhere' })).toBe('/elsewhere');
    expect(() => deploymentHome({ AMPLIFIERD_HOME: 'here' })).toThrow(/AMPLIFIERD_HOME is the relative path/);
  } finally {
    vi.unstubAllEnvs();
  }
});
