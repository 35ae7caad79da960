import type { BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { axe } from './support/axe.js';
import { hasChromium } from './support/chromium.js';
import { WebBench } from './support/web-bench.js';

describe.skipIf(!hasChromium)('a page, its daemon and who may come in', () => {
  let web: WebBench;
  let window: BrowserContext;
  beforeAll(async () => {
    web = await WebBench.start();
    window = await web.context();
  });
  // A test that failed while the daemon was dead leaves the next ones alone.
  beforeEach(() => web.restart());
  afterAll(() => web?.[Symbol.asyncDispose]());

  const lost = (page: Page) => page.getByText('Connection lost');

  it('says when the connection is lost, and catches up after the daemon was killed and started again', async () => {
    const id = await web.session({ name: 'Outlives' });
    await web.run(id, '!say Before.', { wait: 60 });
    const page = await web.open(`/s/${id}`, window);
    await page.getByText('Before.').last().waitFor();
    await web.kill();
    await lost(page).waitFor();
    await page.locator('#composer').fill('!say Refused.');
    await page.keyboard.press('Enter');
    // Taken back with a sentence, and the words are kept.
    await page.locator('.notice').getByText('The daemon does not answer').waitFor();
    expect(await page.locator('#composer').inputValue()).toBe('!say Refused.');
    await web.restart();
    await web.run(id, '!say After.', { wait: 60 });
    await page.locator('.assistant:not(.live)', { hasText: 'After.' }).waitFor();
    await lost(page).waitFor({ state: 'detached' });
    expect(await page.locator('.assistant:not(.live)', { hasText: 'After.' }).count()).toBe(1);
    await page.close();
  });

  it('mends itself in every room when the daemon is gone before the first answer', async () => {
    const id = await web.session({ name: 'Opened too soon' });
    await web.run(id, '!say Here all along.', { wait: 60 });
    const rooms: [path: string, seen: string][] = [
      ['/', 'Opened too soon'],
      [`/s/${id}`, 'Here all along.'],
      [`/s/${id}/time`, 'Replay'],
      ['/agents', 'External coding agents'],
      ['/spend', 'Opened too soon'],
      ['/settings', 'Tokens, browsers'],
    ];
    const held: Route[] = [];
    await window.route('**/api/**', (route) => void held.push(route));
    const pages: Page[] = [];
    for (const [path] of rooms) {
      const before = held.length;
      const page = await web.open(path, window);
      pages.push(page);
      await page.locator('main').waitFor();
      // Named in the page and asked for by the room in the same words: asked for once.
      const asked = held.slice(before).map((route) => route.request().url());
      expect([path, asked]).toEqual([path, [...new Set(asked)]]);
      expect([path, asked]).toEqual([path, expect.arrayContaining([`${web.url}/api/v1/session-of-browser`])]);
    }
    await web.kill();
    await window.unroute('**/api/**');
    await Promise.all(held.map((route) => route.continue().catch(() => {})));
    await Promise.all(pages.map((page) => lost(page).waitFor()));
    await web.restart();
    // Nobody waits for the next try when the network is there again.
    await Promise.all(pages.map((page) => page.evaluate("dispatchEvent(new Event('online'))")));
    for (const [index, [path, seen]] of rooms.entries()) {
      const page = pages[index] as Page;
      await page.getByText(seen).first().waitFor();
      await lost(page).waitFor({ state: 'detached' });
      expect([path, await page.locator('.problem').allInnerTexts()]).toEqual([path, []]);
    }
    // It is followed again, not only read.
    await web.run(id, '!say And after.', { wait: 60 });
    await (pages[1] as Page).locator('.assistant:not(.live)', { hasText: 'And after.' }).waitFor();
    await Promise.all(pages.map((page) => page.close()));
  });

  it('lets eight tabs live side by side: one out of sight gives its stream back and misses nothing', async () => {
    const id = await web.session({ name: 'Many tabs' });
    await web.run(id, '!say Seen by all.', { wait: 60 });
    const tabs = await web.context();
    // Every tab of a browser without a window is in sight.
    await tabs.addInitScript(`
      let state = 'visible';
      Object.defineProperty(document, 'visibilityState', { get: () => state });
      window.look = (next) => {
        state = next;
        document.dispatchEvent(new Event('visibilitychange'));
      };
    `);
    const look = (page: Page, state: 'visible' | 'hidden') => page.evaluate(`look('${state}')`);
    const pages: Page[] = [];
    for (let count = 0; count < 8; count++) {
      const page = await web.open(`/s/${id}`, tabs);
      await page.locator('.assistant', { hasText: 'Seen by all.' }).waitFor();
      await look(page, 'hidden');
      pages.push(page);
    }
    await web.run(id, '!say While away.', { wait: 60 });
    for (const page of pages) {
      await look(page, 'visible');
      await page.locator('.assistant:not(.live)', { hasText: 'While away.' }).waitFor();
      expect(await page.locator('.assistant:not(.live)', { hasText: 'While away.' }).count()).toBe(1);
      expect(await lost(page).count()).toBe(0);
      await look(page, 'hidden');
    }
    await tabs.close();
  });

  it('is told how to sign in, gets in by a link that works once, and finds keys and pages', async () => {
    const stranger = await web.browser.newContext();
    const shut = await web.open('/', stranger);
    await shut.getByText('amplifier web').waitFor();
    expect(await axe(shut)).toEqual([]);
    const { url } = await web.post('/sign-in/links');
    await shut.goto(url);
    await shut.waitForURL(`${web.url}/`);
    await shut.getByRole('link', { name: 'Agents' }).waitFor();
    const again = await web.browser.newContext();
    const late = await web.open('/', again);
    await late.goto(url);
    expect(late.url()).not.toBe(`${web.url}/`);
    await shut.goto(`${web.url}/nowhere/at/all`);
    await shut.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await shut.keyboard.press('?');
    await shut.getByRole('dialog', { name: 'Keys' }).waitFor();
    await shut.keyboard.press('Escape');
    await shut.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'detached' });
  });

  it('is signed out everywhere at once, and no tab that was open stays', async () => {
    const [desk, sofa] = [await web.context(), await web.context()];
    const open = await web.open('/', sofa);
    await open.getByRole('heading', { name: 'Recent' }).waitFor();
    const page = await web.open('/settings', desk);
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('heading', { name: 'Signed out' }).waitFor();
    await open.getByRole('heading', { name: 'Signed out' }).waitFor();
  });

  it('broke no policy, asked no other host and threw nothing', () => {
    expect(web.complaints).toEqual([]);
  });
});
