import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from './support/chromium.js';
import { seedHostileRecord, seedLargeRecord } from './support/seed-record.js';
import { WebBench } from './support/web-bench.js';

interface Link {
  isWeb: boolean;
  rel: string;
  target: string;
  textContent: string;
}

const LOOK = `({
  tags: document.querySelectorAll('main :is(script, img, iframe, style, form[action], object, math)').length,
  links: [...document.querySelectorAll('.md a')].map(({ href, rel, target, textContent }) => ({
    isWeb: /^https?:/.test(href), rel, target, textContent,
  })),
})`;

describe.skipIf(!hasChromium)('what is large or hostile in a browser', () => {
  let web: WebBench;
  let context: BrowserContext;
  beforeAll(async () => {
    web = await WebBench.start({}, [], async (home) => {
      await seedLargeRecord(home, { children: 999, messages: 20_000 });
      await seedHostileRecord(home);
    });
    context = await web.context();
  });
  afterAll(async () => {
    await web?.[Symbol.asyncDispose]();
  });

  const elements = (page: Page) => page.evaluate<number>("document.querySelectorAll('*').length");

  it('shows a tree of 1,000 sessions with only the rows in sight, by scroll and by key', async () => {
    const page = await web.open('/s/large-root', context);
    await page.getByText('1,000 sessions').waitFor();
    expect(await elements(page)).toBeLessThan(1_500);
    await page.getByRole('treeitem', { name: 'A large tree' }).focus();
    await page.keyboard.press('End');
    await page
      .getByRole('treeitem', { name: /worker-/ })
      .last()
      .waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/large-child-/);
    await page.goto(`${web.url}/s/large-root/time`);
    await page.locator('.gantt-row').first().waitFor();
    expect(await elements(page)).toBeLessThan(2_500);
    await page.close();
  });

  it('pages a transcript of 20,000 messages from its tail, both ways, and finds a message in its middle', async () => {
    const page = await web.open('/s/long', context);
    await page.locator('#m20000').waitFor();
    const box = page.locator('.conversation .scroll');
    for (const first of [19_871, 19_771, 19_671, 19_571]) {
      await box.evaluate((it) => {
        it.scrollTop = 0;
      });
      await page.locator(`#m${first}`).waitFor({ state: 'attached' });
    }
    expect(await page.locator('article.message').count()).toBeLessThanOrEqual(300);
    await page.getByRole('button', { name: /To the end|new/ }).click();
    await page.locator('#m20000').waitFor();
    await page.goto(`${web.url}/s/long?at=7001`);
    await page.locator('#m7001.found').waitFor();
    expect(await page.locator('#m7001').getByText('7001').isVisible()).toBe(true);
    await page.close();
  });

  it('lets nothing in a transcript act, load, hide or mislead', async () => {
    const page = await web.open('/s/hostile', context);
    await page.getByText('The end of it.').waitFor();
    await page.locator('.call .head').click();
    expect(await page.evaluate("'pwned' in window")).toBe(false);
    const found = await page.evaluate<{ tags: number; links: Link[] }>(LOOK);
    expect(found.tags).toBe(0);
    expect(
      found.links.every(({ isWeb, rel, target }) => isWeb && /noopener/.test(rel) && target === '_blank'),
    ).toBe(true);
    expect(found.links.map(({ textContent }) => textContent)).toContain('bank elsewhere.invalid');
    expect(await page.locator('main').innerText()).not.toContain('\u202E');
    await page.getByText('gpj.[U+202E]exe').first().waitFor();
    await page.getByRole('button', { name: /Show more/ }).waitFor();
    expect(web.complaints).toEqual([]);
    await page.close();
  });
});
