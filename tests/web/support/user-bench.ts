import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { chaosAgentCommand, FakeModelServer } from '@amplifier/testkit';
import type { Browser } from 'playwright-core';
import { CliSandbox, MAIN } from '../../../packages/cli/test-support/run-cli.js';
import { startChromium } from './chromium.js';
import { SignedInBrowser } from './signed-in-browser.js';

const REPOSITORY = new URL('../../../', import.meta.url).pathname;

/** A person's own home: the CLI works on it, `amplifier serve` serves it, and a browser looks. */
export class UserBench extends SignedInBrowser implements AsyncDisposable {
  private constructor(
    browser: Browser,
    readonly box: CliSandbox,
    readonly model: FakeModelServer,
    readonly daemon: ChildProcess,
    protected readonly address: string,
    readonly token: string,
  ) {
    super(browser);
  }

  static async start(): Promise<UserBench> {
    const box = await CliSandbox.create({ 'README.md': '# A folder\n', 'a.txt': 'one\n' });
    const [model, browser] = await Promise.all([FakeModelServer.start(), startChromium()]);
    const config = { base_url: `${model.url}/v1`, default_model: 'fake-1', api_key: 'sk-test' };
    const chaos = { command: chaosAgentCommand(), visible: [REPOSITORY] };
    await box.home.write(
      'settings.yaml',
      JSON.stringify({
        config: { providers: [{ module: 'provider-openai-compatible', config }] },
        delegation: { agents: { chaos }, trusted_workspaces: [box.folder.path] },
      }),
    );
    // A process of its own: a daemon takes no cookie from a browser that it started itself.
    const daemon = spawn(process.execPath, [MAIN, 'serve', '--port', '0'], {
      cwd: box.folder.path,
      env: box.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let token = '';
    for await (const line of createInterface({ input: daemon.stdout })) {
      token = /^Token .*: (\S+)$/.exec(line)?.[1] ?? token;
      const url = /listens on (\S+),/.exec(line)?.[1];
      if (url) return new UserBench(browser, box, model, daemon, url, token);
    }
    throw new Error('amplifier serve ended before it listened.');
  }

  // biome-ignore lint/suspicious/noExplicitAny: the shape is what a test looks at
  async call(method: string, path: string, json?: unknown): Promise<any> {
    const response = await fetch(`${this.address}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close();
    const ended = once(this.daemon, 'exit');
    this.daemon.kill('SIGKILL');
    await ended;
    await this.model[Symbol.asyncDispose]();
    await this.box[Symbol.asyncDispose]();
  }
}
