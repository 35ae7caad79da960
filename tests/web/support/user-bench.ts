import { chaosAgentCommand, FakeModelServer } from '@amplifier/testkit';
import type { Browser } from 'playwright-core';
import { CliSandbox } from '../../../packages/cli/test-support/run-cli.js';
import { startChromium } from './chromium.js';
import { ServedHome } from './serve-home.js';
import { SignedInBrowser } from './signed-in-browser.js';

const REPOSITORY = new URL('../../../', import.meta.url).pathname;

/** A person's own home: the CLI works on it, `amplifier serve` serves it, and a browser looks. */
export class UserBench extends SignedInBrowser implements AsyncDisposable {
  private constructor(
    browser: Browser,
    readonly box: CliSandbox,
    readonly model: FakeModelServer,
    readonly served: ServedHome,
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
    return new UserBench(browser, box, model, await ServedHome.start(box.folder.path, box.env));
  }

  protected get address(): string {
    return this.served.url;
  }

  protected get daemonHome(): string {
    return this.box.home.resolve('daemon');
  }

  // biome-ignore lint/suspicious/noExplicitAny: the shape is what a test looks at
  call(method: string, path: string, json?: unknown): Promise<any> {
    return this.served.call(method, path, json);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close();
    await this.served.kill();
    await this.model[Symbol.asyncDispose]();
    await this.box[Symbol.asyncDispose]();
  }
}
