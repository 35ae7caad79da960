import type { ChildProcess } from 'node:child_process';
import { openLink } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

it('amplifier serve is the daemon: it names its token and address, answers, and ends when it is told to', async () => {
  await using box = await CliSandbox.create();
  let daemon: ChildProcess | undefined;
  const ended = box.run(['serve', '--port', '0', '--log-level', 'silent'], {
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
  let daemon: ChildProcess | undefined;
  const ended = box.run(['serve', '--port', '0', '--log-level', 'silent'], {
    onStart: (child) => {
      daemon = child;
    },
  });
  await said(daemon, /listens on/);
  const second = await box.run(['serve', '--port', '0']);
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

it('amplifier web starts the daemon where none runs, and prints a link that signs a browser in once', async () => {
  await using box = await CliSandbox.create();
  const env = { BROWSER: '', DISPLAY: '', WAYLAND_DISPLAY: '' };
  const first = (await box.run(['web', '--port', '0', '--json'], { env })).json();
  const daemon = first.daemon as { pid: number; url: string };
  try {
    const link = new URL(String(first.url));
    expect([link.hostname, link.port]).toEqual([
      expect.stringMatching(/^[0-9a-f]{20}\.amplifier\.localhost$/),
      new URL(daemon.url).port,
    ]);
    const open = () => openLink(daemon.url, link.href);
    const opened = await open();
    const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
    const me = await fetch(`${daemon.url}/api/v1/session-of-browser`, { headers: { cookie } });
    expect(await me.json()).toMatchObject({ scope: 'admin' });
    expect((await open()).status).toBe(410);
    const second = await box.run(['web', '--no-open', '--scope', 'read'], { env });
    expect(second.stdout).toMatch(new RegExp(`^http://${link.host}/sign-in\\?code=`));
    expect(second.stderr).toContain('Open this link');
  } finally {
    process.kill(daemon.pid, 'SIGTERM');
    while (isAlive(daemon.pid)) await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
