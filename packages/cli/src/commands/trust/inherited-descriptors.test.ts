import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { detectSandbox } from '@amplifier/host';
import { FakeModelServer, TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { CliSandbox, MAIN } from '../../../test-support/run-cli.js';

const sandbox = await detectSandbox();
if (sandbox.name === 'none') console.warn(`SKIPPED: inherited descriptors. ${sandbox.because}`);

it.skipIf(sandbox.name === 'none')(
  'a command uses no descriptor that the program was started with',
  async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create({});
    await using secret = await TempWorkspace.create({ key: 'PRIVATE-PART' });
    const command =
      'for fd in 5 25 200 202; do cat /proc/self/fd/$fd /proc/self/fd/$fd/key; done; echo open: /proc/self/fd/*';
    const task = `!call bash ${JSON.stringify({ command })}\n!then\n!say Done.`;
    const open = 'exec 5<"$1" 25<"$1" 200<"$1" 202<"$2"; shift 2; exec "$@"';
    const args = [secret.resolve('key'), secret.path, process.execPath, MAIN, 'run', task, '--json'];
    const child = spawn('bash', ['-c', open, 'bash', ...args], {
      cwd: box.folder.path,
      env: { ...box.env, ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `${server.url}/v1` },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    expect(JSON.parse(stdout), stderr).toMatchObject({ response: 'Done.' });
    const told = JSON.stringify(server.exchanges.at(-1)?.body);
    expect(told).toContain('open: /proc/self/fd/0');
    expect(told).not.toContain('PRIVATE-PART');
    expect(told).not.toMatch(/fd\/(?:5|25|200|202)(?: |\\\\n)/);
  },
);
