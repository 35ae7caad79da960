import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axe } from './support/axe.js';
import { hasChromium } from './support/chromium.js';
import { WebBench } from './support/web-bench.js';

describe.skipIf(!hasChromium)('who comes to the daemon with a browser', () => {
  let web: WebBench;
  beforeAll(async () => {
    web = await WebBench.start();
  });
  afterAll(async () => {
    await web?.[Symbol.asyncDispose]();
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
    expect(web.complaints).toEqual([]);
  });

  it('is signed out everywhere at once, and no tab that was open stays', async () => {
    const [desk, sofa] = [await web.context(), await web.context()];
    const open = await web.open('/', sofa);
    await open.getByRole('heading', { name: 'Nothing has run yet' }).waitFor();
    const page = await web.open('/settings', desk);
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('heading', { name: 'Signed out' }).waitFor();
    await open.getByRole('heading', { name: 'Signed out' }).waitFor();
  });
});
