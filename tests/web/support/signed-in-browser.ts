import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

/** A browser beside a daemon: windows that are signed in, and what no page of theirs may do. */
export abstract class SignedInBrowser {
  readonly browser: Browser;
  /** What no page may do: break the policy, throw, or ask another host. */
  readonly complaints: string[] = [];

  constructor(browser: Browser) {
    this.browser = browser;
  }

  /** Where the daemon listens. */
  protected abstract readonly address: string;

  protected abstract readonly daemonHome: string;

  // biome-ignore lint/suspicious/noExplicitAny: the shape is what a test looks at
  abstract call(method: string, path: string, json?: unknown): Promise<any>;

  // biome-ignore lint/suspicious/noExplicitAny: as above
  get(path: string): Promise<any> {
    return this.call('GET', path);
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  post(path: string, json: unknown = {}): Promise<any> {
    return this.call('POST', path, json);
  }

  /** Where the browser finds the daemon: a name of its own, so that its cookie goes to nobody else. */
  get url(): string {
    const name = readFileSync(join(this.daemonHome, 'browser-name'), 'utf8').trim();
    return this.address.replace('127.0.0.1', `${name}.amplifier.localhost`);
  }

  /** A window of its own that is signed in. */
  async context(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await this.browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    const { url } = await this.post('/sign-in/links');
    const page = await context.newPage();
    await page.goto(url);
    await page.waitForURL(`${this.url}/`);
    await page.close();
    return context;
  }

  /** A page at a path, watched for complaints. */
  async open(path: string, context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    page.on('pageerror', (error) => this.complaints.push(`error: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      if (/Content Security Policy|Refused to/.test(message.text())) this.complaints.push(message.text());
    });
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol !== 'data:' && url.host !== new URL(this.url).host)
        this.complaints.push(`asked ${url.href}`);
    });
    await page.goto(this.url + path);
    return page;
  }
}
