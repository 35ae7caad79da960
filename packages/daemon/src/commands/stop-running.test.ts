import { mkdir } from 'node:fs/promises';
import { systemLiveness } from '@amplifier/core';
import { takeLease } from '@amplifier/sessions/record';
import { TempWorkspace } from '@amplifier/testkit';
import { afterEach, expect, it, vi } from 'vitest';
import { daemonHome } from '../config.js';
import { stopRunning } from './stop-running.js';

afterEach(() => {
  vi.restoreAllMocks();
});

it('sends no signal to a process number of another container', async () => {
  await using workspace = await TempWorkspace.create();
  const home = daemonHome({ AMPLIFIERD_HOME: workspace.resolve('home') });
  await mkdir(home.state, { recursive: true });
  const self = { ...systemLiveness.self, pid: process.pid, namespace: 'pid:[1]' };
  const lease = await takeLease(home.record, 'daemon', { liveness: { ...systemLiveness, self } });
  await workspace.write(
    'home/state/daemon.json',
    JSON.stringify({ pid: process.pid, url: 'http://127.0.0.1:1', started_at: '' }),
  );
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  await expect(stopRunning(home)).rejects.toMatchObject({ code: 'DAEMON_ELSEWHERE' });
  expect(kill.mock.calls.filter(([, signal]) => signal === 'SIGTERM')).toEqual([]);
  await lease.release();
});
