import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { FakeModelServer, TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { DaemonProcess } from '../../test-support/daemon-process.js';
import { runProfile } from '../../test-support/run-profile.js';
import { connectionLimit } from './connection-limit.js';
import { CODE_LOADED } from './load-lazy-chunks.js';

it('connections leave open files to the rest of the daemon', () => {
  expect([256, 1_024, 4_096, 65_536, Number.POSITIVE_INFINITY].map(connectionLimit)).toEqual([
    128,
    512,
    2_048,
    63_488,
    Number.POSITIVE_INFINITY,
  ]);
});

/** A daemon with a session that can run. */
async function startForRuns(openFiles = 0) {
  const workspace = await TempWorkspace.create({ 'work/notes.md': '' });
  const model = await FakeModelServer.start();
  const environment = { RUN_TEST_KEY: 'sk-run-test', AMPLIFIERD_LOG_LEVEL: 'info' };
  const daemon = await DaemonProcess.start(workspace.resolve('home'), environment, { openFiles });
  const post = async (path: string, json: object) =>
    // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test looks at
    (await daemon.fetch(path, { method: 'POST', json })).json() as Promise<any>;
  await post('/api/v1/profiles', { name: 'worker', manifest: runProfile(model.url) });
  const { session_id } = await post('/api/v1/sessions', { profile_id: 'local/worker' });
  return {
    daemon,
    isLoaded: async () =>
      (await readFile(workspace.resolve('home/log/amplifierd.log'), 'utf8')).includes(CODE_LOADED),
    async run() {
      const order = { instruction: '!say Well.', wait: 60 };
      const { status, error } = await post(`/api/v1/sessions/${session_id}/runs`, order);
      return [status, error?.message];
    },
    async [Symbol.asyncDispose]() {
      await daemon.kill();
      await model[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

it('more silent connections than files can be open delay no run, and break no later one', async () => {
  await using scene = await startForRuns(256);
  const { daemon, run } = scene;
  const sockets: Socket[] = [];
  const { port, hostname } = new URL(daemon.url);
  for (let at = 0; at < 300; at++) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
  }
  expect(await run()).toEqual(['completed', undefined]);
  // The oldest of them were closed for newer connections.
  await expect.poll(() => sockets.filter(({ closed }) => closed).length).toBeGreaterThan(150);
  for (const socket of sockets) socket.destroy();
  expect(await run()).toEqual(['completed', undefined]);
  expect(await daemon.stop()).toBe(0);
});

const PRLIMIT = '/usr/bin/prlimit';

it.runIf(existsSync(PRLIMIT))(
  'a run that fails because no file can be opened breaks no later one',
  async () => {
    await using scene = await startForRuns();
    const { daemon, isLoaded, run } = scene;
    await expect.poll(isLoaded, { timeout: 30_000 }).toBe(true);
    const limit = (files: string) =>
      promisify(execFile)(PRLIMIT, ['--pid', `${daemon.pid}`, `--nofile=${files}:`]);
    const { stdout } = await promisify(execFile)(PRLIMIT, [
      '--pid',
      `${daemon.pid}`,
      '--nofile',
      '-o',
      'SOFT',
      '--noheadings',
    ]);
    await limit('10');
    const [status, message] = await run();
    expect([status, message]).toEqual(['failed', expect.stringContaining('EMFILE')]);
    await limit(stdout.trim());
    expect(await run()).toEqual(['completed', undefined]);
  },
);
