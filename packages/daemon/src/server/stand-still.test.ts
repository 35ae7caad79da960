import { mkdir, symlink } from 'node:fs/promises';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { DaemonProcess } from '../../torture/daemon-process.js';
import { TestDaemon } from '../../torture/test-daemon.js';

it('tells in /readyz that the process stood still', async () => {
  await using daemon = await TestDaemon.start();
  expect((await daemon.get('/readyz')).body).toMatchObject({ status: 'ready', notes: [] });
  // Nothing but this runs for a while, as when a model has found a way to keep the process busy.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
  await expect
    .poll(async () => (await daemon.get('/readyz')).body.notes, { timeout: 20_000 })
    .toEqual([expect.stringMatching(/^The process stood still for \d+ ms\./)]);
});

it('serves on when its log cannot be written, says so, and ends when it is told to', async () => {
  await using workspace = await TempWorkspace.create();
  const home = workspace.resolve('home');
  await mkdir(workspace.resolve('home/log'), { recursive: true });
  // Whatever is written here fails as on a full disk.
  await symlink('/dev/full', workspace.resolve('home/log/amplifierd.log'));
  await using daemon = await DaemonProcess.start(home, { AMPLIFIERD_LOG_LEVEL: 'debug' });
  for (let count = 0; count < 50; count++) expect((await daemon.fetch('/api/v1/sessions')).status).toBe(200);
  await expect
    .poll(async () => ((await (await daemon.fetch('/readyz')).json()) as { notes: string[] }).notes, {
      timeout: 20_000,
    })
    .toEqual([expect.stringContaining('ENOSPC')]);
  const created = await daemon.fetch('/api/v1/sessions', {
    method: 'POST',
    json: { profile_id: 'foundation/base' },
  });
  expect(created.status).toBe(201);
  expect(await daemon.stop()).toBe(0);
});
