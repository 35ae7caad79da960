import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it, vi } from 'vitest';
import { DaemonProcess } from '../../../../daemon/test-support/daemon-process.js';
import { CliSandbox } from '../../../test-support/run-cli.js';

it('doctor says what the running daemon set aside, and nothing of one that does not run', async () => {
  await using box = await CliSandbox.create();
  await using place = await TempWorkspace.create();
  const home = place.resolve('home');
  const doctor = async () => {
    const { checks } = (await box.run(['doctor', '--json'], { env: { AMPLIFIERD_HOME: home } })).json();
    return (checks as { name: string; state: string; detail: string }[]).filter(
      ({ name }) => name === 'amplifierd',
    );
  };
  expect(await doctor()).toEqual([]);
  await using daemon = await DaemonProcess.start(home);
  expect(await doctor()).toMatchObject([{ state: 'ok', detail: expect.stringContaining(daemon.url) }]);
  // Where the copies of sessions go, nothing can be written.
  const copies = join(home, 'state/sessions');
  await rm(copies, { recursive: true, force: true });
  await writeFile(copies, '');
  const body = JSON.stringify({ profile_id: 'foundation/base' });
  const headers = { authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json' };
  expect((await fetch(`${daemon.url}/api/v1/sessions`, { method: 'POST', headers, body })).status).toBe(201);
  const isDegraded = async () => (await (await fetch(`${daemon.url}/readyz`)).text()).includes('degraded');
  await vi.waitFor(async () => expect(await isDegraded()).toBe(true), { timeout: 100_000, interval: 50 });
  expect(await doctor()).toMatchObject([
    { state: 'ok' },
    {
      state: 'missing',
      detail: expect.stringMatching(/^readable copies: \d+ skipped since .*(ENOTDIR|EEXIST)/),
    },
  ]);
});
