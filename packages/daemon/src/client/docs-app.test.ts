import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@amplifier/core';
import { expect, it } from 'vitest';
import { EventReader } from '../../test-support/event-reader.js';
import { RunBench } from '../../test-support/run-bench.js';
import { call, delegate, script } from '../../test-support/run-profile.js';
import { ScopedTokens } from '../auth/scoped-tokens.js';

const DOCS = new URL('../../../../docs/api.md', import.meta.url);
const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));

it('the web app of docs/api.md has sixty lines, shows what children do, asks a person and goes on after a reload', async () => {
  const app = /```js app\.mjs\n([\s\S]+?)```/.exec(await readFile(DOCS, 'utf8'))?.[1] ?? '';
  expect(app.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
  await using bench = await RunBench.start();
  const { workspace, daemon } = bench.daemon;
  await mkdir(workspace.resolve('app/node_modules/@amplifier'), { recursive: true });
  await symlink(PACKAGE, workspace.resolve('app/node_modules/@amplifier/daemon'));
  await writeFile(workspace.resolve('app/app.mjs'), app);
  const { token } = await new ScopedTokens(bench.daemon.record).create({ scope: 'run' }, systemClock);
  const child = spawn(process.execPath, [workspace.resolve('app/app.mjs')], {
    env: {
      ...process.env,
      AMPLIFIERD_URL: daemon.url,
      AMPLIFIERD_TOKEN: token,
      PROFILE: 'local/worker',
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const post = async (path: string, body: object) =>
      (
        await fetch(url + path, {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { connection: 'close' },
        })
      ).json() as Promise<Record<string, string>>;
    expect(await (await fetch(url)).text()).toContain('<title>Ask</title>');
    const { session_id } = await post('/sessions', {});
    const page = await EventReader.open(`${url}/events?session_id=${session_id}`, '');
    const task = script(call('write_file', { file_path: 'notes.txt', content: 'x' }), '!say Noted.');
    const instruction = script(delegate({ agent: 'scribe', instruction: task }), '!say All is written.');
    await post('/ask', { session_id: session_id ?? '', instruction });
    const asked = await page.until(({ data }) => data.question);
    expect(page.frames.map(({ data }) => data.text)).toContain('scribe started');
    await page[Symbol.asyncDispose]();
    await post('/answer', { ...asked.data.question, approved: true });
    await using again = await EventReader.open(`${url}/events?session_id=${session_id}`, '', {
      lastEventId: asked.id ?? '',
    });
    expect((await again.until(({ data }) => data.text !== '')).data.text).toBe('All is written.');
    expect((await post('/ask', { session_id: 'none', instruction: 'x' })).code).toBe('SESSION_NOT_FOUND');
  } finally {
    child.kill();
    await once(child, 'exit');
  }
});
