import { FakeModelServer, TempWorkspace } from '@amplifier/testkit';
import type { Browser } from 'playwright-core';
import { DaemonProcess } from '../../../packages/daemon/test-support/daemon-process.js';
import { runProfile } from '../../../packages/daemon/test-support/run-profile.js';
import { startChromium } from './chromium.js';
import { SignedInBrowser } from './signed-in-browser.js';

const KEY = { RUN_TEST_KEY: 'sk-run-test' };

/** The real daemon in a process of its own, a model that does what it is told, and a browser. One of each for a whole file. */
export class WebBench extends SignedInBrowser implements AsyncDisposable {
  readonly workspace: TempWorkspace;
  readonly model: FakeModelServer;
  daemon: DaemonProcess;

  private constructor(
    workspace: TempWorkspace,
    model: FakeModelServer,
    browser: Browser,
    daemon: DaemonProcess,
  ) {
    super(browser);
    this.workspace = workspace;
    this.model = model;
    this.daemon = daemon;
  }

  /** `seed` fills the home before the daemon is started on it. */
  static async start(
    files: Record<string, string> = {},
    flags: string[] = [],
    seed: (home: string) => Promise<void> = async () => {},
  ): Promise<WebBench> {
    const workspace = await TempWorkspace.create({ 'work/notes.md': 'Some notes.\n', ...files });
    await seed(workspace.resolve('home'));
    const [model, browser, daemon] = await Promise.all([
      FakeModelServer.start(),
      startChromium(flags),
      DaemonProcess.start(workspace.resolve('home'), KEY),
    ]);
    const bench = new WebBench(workspace, model, browser, daemon);
    await bench.post('/profiles', { name: 'worker', manifest: runProfile(model.url) });
    return bench;
  }

  protected get address(): string {
    return this.daemon.url;
  }

  protected get daemonHome(): string {
    return this.workspace.resolve('home');
  }

  /** kill -9. */
  async kill(): Promise<void> {
    await this.daemon.kill();
  }

  /** The same home on the same port, unless it runs. */
  async restart(): Promise<void> {
    if (this.daemon.isRunning) return;
    const port = Number(new URL(this.daemon.url).port);
    this.daemon = await DaemonProcess.start(this.workspace.resolve('home'), KEY, { port });
  }

  // biome-ignore lint/suspicious/noExplicitAny: the shape is what a test looks at
  async call(method: string, path: string, json?: unknown): Promise<any> {
    const response = await this.daemon.fetch(`/api/v1${path}`, {
      method,
      ...(json === undefined ? {} : { json }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  }

  async session(body: object = {}): Promise<string> {
    const working_dir = this.workspace.resolve('work');
    return (await this.post('/sessions', { profile_id: 'local/worker', working_dir, ...body })).session_id;
  }

  run(session_id: string, instruction: string, body: object = {}) {
    return this.post(`/sessions/${session_id}/runs`, { instruction, ...body });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close();
    await this.daemon[Symbol.asyncDispose]();
    await this.model[Symbol.asyncDispose]();
    await this.workspace[Symbol.asyncDispose]();
  }
}
