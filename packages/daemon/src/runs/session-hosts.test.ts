import { hostPaths, openStore, recordOf } from '@amplifier/host';
import { LogPool } from '@amplifier/host/runs';
import { openRunQueue } from '@amplifier/sessions';
import { TempWorkspace, VirtualClock } from '@amplifier/testkit';
import { expect, it, vi } from 'vitest';
import type { DaemonHome } from '../config.js';
import { HOST_UNUSED_MS, MAX_OPEN_HOSTS } from '../defaults.js';
import type { WorkingFolders } from '../sessions/working-folders.js';
import { SessionHosts } from './session-hosts.js';

it('folders that nobody works in do not stay open, however many are named', async () => {
  await using workspace = await TempWorkspace.create();
  const environment = { AMPLIFIER_HOME: workspace.resolve('home'), HOME: workspace.path };
  const paths = hostPaths(workspace.resolve('work'), environment);
  const clock = new VirtualClock();
  const report = () => {};
  const store = await openStore(paths.sessions, report);
  const queue = await openRunQueue(recordOf(paths.queue).file);
  const hosts = new SessionHosts({
    home: { isUsers: true } as DaemonHome,
    folders: { known: async (folder: string) => folder } as WorkingFolders,
    logs: new LogPool(store, clock, 0),
    offline: true,
    onQuestion: () => {},
    ...{ environment, store, queue, clock, report },
  });
  const open = async (name: string) => {
    await workspace.write(`${name}/README.md`, 'x');
    return hosts.in(workspace.resolve(name));
  };
  const first = await open('0');
  for (let at = 1; at < MAX_OPEN_HOSTS; at++) await open(String(at));
  await open('more');
  expect(hosts.opened, 'a caller that was given one keeps it').toContain(first);
  await clock.advance(HOST_UNUSED_MS);
  expect(await open('0')).toBe(first);
  await open('last');
  await vi.waitFor(() => expect(hosts.opened).toHaveLength(MAX_OPEN_HOSTS), { timeout: 100_000 });
  expect(hosts.opened).toContain(first);
  await hosts.close();
  expect(hosts.opened).toEqual([]);
  await queue.close();
  await store.close();
});
