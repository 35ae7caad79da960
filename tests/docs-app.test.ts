import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { serverCommands, startDaemon } from '@amplifier/daemon';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { hasChromium, startChromium } from './web/support/chromium.js';

const DOCS = new URL('../docs/api.md', import.meta.url);
const PACKAGE = fileURLToPath(new URL('../packages/daemon', import.meta.url));

it.skipIf(!hasChromium)(
  'the web app of docs/api.md answers in a browser with no profile and no key, and survives addresses that it does not have',
  async () => {
    await using workspace = await TempWorkspace.create({
      'app/app.mjs': await appOfDocs(),
      'work/a.txt': '',
    });
    await mkdir(workspace.resolve('app/node_modules/@amplifier'), { recursive: true });
    await symlink(PACKAGE, workspace.resolve('app/node_modules/@amplifier/daemon'));
    const { PATH } = process.env;
    const environment = { PATH, HOME: workspace.resolve('user'), AMPLIFIER_HOME: workspace.resolve('home') };
    const options = { environment, cwd: workspace.resolve('work'), flags: { port: 0, log_level: 'silent' } };
    await using daemon = await startDaemon({ ...options, users: true, offline: true });
    const { home } = daemon;
    let token = '';
    const print = (line: string) => {
      token = line;
    };
    await serverCommands.createToken(
      { home, environment, print, say: () => {} },
      { scope: 'run', name: null },
    );
    const app = spawn(process.execPath, [workspace.resolve('app/app.mjs')], {
      env: { ...environment, AMPLIFIERD_URL: daemon.url, AMPLIFIERD_TOKEN: token, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const browser = await startChromium();
    try {
      const [url] = (await once(createInterface({ input: app.stdout }), 'line')) as [string];
      const statusOf = async (path: string, init = {}) => (await fetch(url + path, init)).status;
      expect(await statusOf('/favicon.ico')).toBe(404);
      expect(await statusOf('/nothing', { method: 'POST', body: '{' })).toBe(404);
      await expect(statusOf('/ask', { method: 'POST', body: '{' })).rejects.toThrow();
      const refused = fetch(`${url}/events?session_id=none`).then((response) => response.text());
      await expect(refused).rejects.toThrow();
      const page = await browser.newPage();
      await page.goto(url);
      await page.fill('input', 'Hello');
      await page.click('button');
      const answer = page.locator('li').first();
      await answer.waitFor();
      expect(await answer.textContent()).toContain('offline provider');
    } finally {
      await browser.close();
      app.kill();
      await once(app, 'exit');
    }
  },
);

async function appOfDocs(): Promise<string> {
  return /```js app\.mjs\n([\s\S]+?)```/.exec(await readFile(DOCS, 'utf8'))?.[1] ?? '';
}
