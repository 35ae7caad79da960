import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { TempWorkspace } from '@amplifier/testkit';
import type { BrowserContext, Page } from 'playwright-core';
import { startChromium } from './chromium.js';
import { openPictureRecord, ROOT } from './picture-scene.js';
import { ServedHome } from './serve-home.js';
import { SignedInBrowser } from './signed-in-browser.js';

const OUT = process.env.PICTURES ?? join(import.meta.dirname, '../../../docs/web');
const SIZE = { width: 1280, height: 800 };
const SHOWN_HOME = '/home/ada';
const PROGRAM = new URL('../../../packages/cli/dist/assets/', import.meta.url).pathname;

/** Ada's home, with a month of work on her shop. */
class PictureBench extends SignedInBrowser implements AsyncDisposable {
  private constructor(
    browser: SignedInBrowser['browser'],
    readonly home: TempWorkspace,
    readonly served: ServedHome,
    readonly record: AsyncDisposable,
  ) {
    super(browser);
  }

  static async start(): Promise<PictureBench> {
    const home = await TempWorkspace.create({
      'shop/README.md': '# The shop\n',
      '.amplifier/settings.yaml': JSON.stringify({
        config: { providers: [{ module: 'provider-anthropic', config: { api_key: 'sk-shown' } }] },
      }),
    });
    const [browser, record] = await Promise.all([
      startChromium(),
      openPictureRecord(home.resolve('.amplifier'), home.resolve('shop'), Date.now()),
    ]);
    const env = { ...(process.env as Record<string, string>), AMPLIFIER_HOME: home.resolve('.amplifier') };
    return new PictureBench(browser, home, await ServedHome.start(home.resolve('shop'), env), record);
  }

  protected get address(): string {
    return this.served.url;
  }

  protected get daemonHome(): string {
    return this.home.resolve('.amplifier/daemon');
  }

  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the caller looks at
  call(method: string, path: string, json?: unknown): Promise<any> {
    return this.served.call(method, path, json);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close();
    await this.served.kill();
    await this.record[Symbol.asyncDispose]();
    await this.home[Symbol.asyncDispose]();
  }
}

mkdirSync(OUT, { recursive: true });
await using web = await PictureBench.start();

type Room = [name: string, path: string, seen: string, before?: (page: Page) => Promise<unknown>];
const rooms: Room[] = [
  ['now', '/', 'Allow once'],
  ['session', `/s/${ROOT}`, 'Allow once'],
  ['timeline', `/s/${ROOT}/time`, 'Replay'],
  ['agents', '/agents?agent=explorer', 'Runs on'],
  ['spend', '/spend', 'most expensive'],
  ['settings', '/settings', 'Tokens, browsers'],
];
for (const colorScheme of ['light', 'dark'] as const) {
  for (const room of rooms) await picture(room, colorScheme, SIZE);
}
await picture(['phone', `/s/${ROOT}`, 'Allow once'], 'light', { width: 390, height: 780 });

async function picture(
  [name, path, seen, before]: Room,
  colorScheme: 'light' | 'dark',
  viewport: typeof SIZE,
): Promise<void> {
  // What is looked at closest is drawn finest.
  const deviceScaleFactor = name === 'session' || name === 'phone' ? 2 : 1;
  const context = await web.context({ colorScheme, viewport, deviceScaleFactor });
  await showAda(context);
  const page = await web.open(path, context);
  await page.getByText(seen).first().waitFor();
  await before?.(page);
  // Colours of code, and what comes in a moment later.
  await page.waitForTimeout(1_500);
  await page.screenshot({ path: join(OUT, `${name}-${colorScheme}.png`) });
  await page.close();
  await context.close();
}

/** Paths of this machine are none of a reader's business. */
async function showAda(context: BrowserContext): Promise<void> {
  await context.route(/\/api\/v1\/(settings|status|agents|sessions\/[^/]+\/launch)(\?|$)/, async (route) => {
    const { pathname, search } = new URL(route.request().url());
    const answer = await web.get(pathname.replace('/api/v1', '') + search);
    const body = JSON.stringify(answer)
      .replaceAll(web.home.path, SHOWN_HOME)
      .replaceAll(PROGRAM, '/usr/lib/amplifier/');
    await route.fulfill({ body });
  });
}
