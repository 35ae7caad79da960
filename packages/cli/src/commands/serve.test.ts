import type { ChildProcess } from 'node:child_process';
import { expect, it } from 'vitest';
import { CliSandbox } from '../../test-support/run-cli.js';

it('amplifier serve is the daemon: it names its token and address, answers, and ends when it is told to', async () => {
  await using box = await CliSandbox.create();
  let daemon: ChildProcess | undefined;
  const ended = box.run(['serve', '--port', '0', '--log-level', 'silent'], {
    env: { AMPLIFIERD_HOME: box.home.resolve('daemon') },
    onStart: (child) => {
      daemon = child;
    },
  });
  const [, token, url] = await said(daemon, /again\): (\S+)\n[^\n]*listens on (\S+),/);
  const answer = await fetch(`${url}/api/v1/sessions`, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(200);
  expect((await fetch(`${url}/docs`)).status).toBe(200);
  daemon?.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});

it('a second one on the same home is refused with the process of the first', async () => {
  await using box = await CliSandbox.create();
  const env = { AMPLIFIERD_HOME: box.home.resolve('daemon') };
  let daemon: ChildProcess | undefined;
  const ended = box.run(['serve', '--port', '0', '--log-level', 'silent'], {
    env,
    onStart: (child) => {
      daemon = child;
    },
  });
  await said(daemon, /listens on/);
  const second = await box.run(['serve', '--port', '0'], { env });
  expect(second.stderr).toContain(String(daemon?.pid));
  expect(second.code).toBe(1);
  daemon?.kill('SIGTERM');
  await ended;
});

function said(child: ChildProcess | undefined, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let text = '';
    child?.on('exit', () => reject(new Error(`It ended and said only: ${text}`)));
    child?.stdout?.on('data', (part: string) => {
      text += part;
      const found = pattern.exec(text);
      if (found) resolve(found);
    });
  });
}
