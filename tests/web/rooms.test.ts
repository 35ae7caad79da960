import type { BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, delegate, runProfile, script } from '../../packages/daemon/test-support/run-profile.js';
import { axe } from './support/axe.js';
import { hasChromium } from './support/chromium.js';
import { seedHostileRecord, seedLargeRecord } from './support/seed-record.js';
import { SlowModel } from './support/slow-model.js';
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

describe.skipIf(!hasChromium)('the rooms in a browser', () => {
  let web: WebBench;
  let slow: SlowModel;
  let light: BrowserContext;
  let made: Promise<string> | null = null;
  /** A root and its child, both at their end; made by whichever test needs it first. */
  const aTree = (): Promise<string> => {
    made ??= (async () => {
      const id = await web.session({ name: 'The root' });
      await web.run(id, '!say First answer.', { wait: 60 });
      const task = { agent: 'scout', context_depth: 'none', instruction: '!say One down.', wait: 60 };
      await web.post(`/sessions/${id}/delegate`, task);
      return id;
    })();
    return made;
  };
  beforeAll(async () => {
    const seed = async (home: string) => {
      await seedLargeRecord(home, { children: 999, messages: 20_000 });
      await seedHostileRecord(home);
    };
    [web, slow] = await Promise.all([WebBench.start({}, [], seed), SlowModel.start()]);
    await web.post('/profiles', {
      name: 'slow',
      manifest: runProfile(slow.url).replace('name: worker', 'name: slow'),
    });
    light = await web.context({ colorScheme: 'light' });
  });
  afterAll(async () => {
    await web?.[Symbol.asyncDispose]();
    await slow?.[Symbol.asyncDispose]();
  });

  const treeitem = (page: Page, name: string) => page.getByRole('treeitem', { name });

  it('opens a child three levels down while it works and after its end, and takes every action of the composer', async () => {
    const id = await web.session({ name: 'The wheel' });
    const page = await web.open(`/s/${id}`, light);
    const field = page.locator('#composer');
    // A new instruction, shown before the server has it in the transcript.
    await field.fill('!say First answer, **bold**.');
    await page.keyboard.press('Enter');
    await page.locator('.message.user').first().waitFor();
    await page.locator('.assistant strong', { hasText: 'bold' }).waitFor();
    // Delegate to another agent, after a dry run that spends nothing.
    const before = web.model.exchanges.length;
    await page.getByRole('button', { name: 'Delegate' }).click();
    await page.locator('select[name=agent]').selectOption('scout');
    await page.locator('select[name=context_depth]').selectOption('none');
    await page.getByLabel('The task').fill('!say One down.');
    await page.getByText('More options').click();
    await page.getByLabel('Safety mode').selectOption('read_only');
    await page.getByLabel('Time limit in seconds').fill('90');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.locator('.preview').getByText('Limits').waitFor();
    expect(web.model.exchanges).toHaveLength(before);
    await page.locator('form.delegate').getByRole('button', { name: 'Delegate' }).click();
    await treeitem(page, 'scout').click();
    await page.getByText('One down.').first().waitFor();
    // Two levels more by the API, the last of which does not end by itself.
    const [one] = (await web.get(`/sessions/${id}/tree`)).root.children;
    const { record } = await web.get(`/sessions/${one.session_id}/launch`);
    expect(record).toMatchObject({ safety_mode: 'read_only', limits: { timeout: 90 } });
    const options = { context_depth: 'none', agent: 'scribe' };
    await web.post(`/sessions/${one.session_id}/delegate`, {
      ...options,
      instruction: '!say Two down.',
      wait: 60,
    });
    await treeitem(page, 'scribe').waitFor();
    const [two] = (await web.get(`/sessions/${one.session_id}/tree`)).root.children;
    const hung = {
      ...options,
      agent: 'scout',
      instruction: '!say Three down, and' + ' still writing\n!hang midway',
    };
    await web.post(`/sessions/${two.session_id}/delegate`, hung);
    const deepest = page.getByRole('treeitem', { level: 4 });
    await deepest.click();
    await page.locator('.message.live').getByText('still writing').waitFor();
    await page
      .getByRole('navigation', { name: 'The way down' })
      .getByRole('link', { name: 'scribe' })
      .waitFor();
    // A message to a running child, then cancel.
    await field.fill('Are you there?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Are you there?').waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.locator('.session-head').getByText('cancelled').waitFor();
    // After its end it is opened from its address alone.
    const late = await web.open(new URL(page.url()).pathname, light);
    await late.locator('.session-head').getByText('cancelled').waitFor();
    await late.getByText('Three down').first().waitFor();
    // Fork from a turn of the root.
    await treeitem(late, 'The wheel').click();
    await late.locator('.assistant', { hasText: 'First answer' }).waitFor();
    await late.locator('.message.user').first().hover();
    await late.getByRole('button', { name: 'Fork from here' }).first().click();
    await late.waitForURL((url) => !url.pathname.includes(id));
    await late.locator('.assistant', { hasText: 'First answer' }).waitFor();
    await Promise.all([page.close(), late.close()]);
  });

  it('answers an approval of a child from its parent and from the inbox, while the run waits elsewhere', async () => {
    const write = (file: string) =>
      script(call('write_file', { file_path: file, content: 'Text.' }), '!say Written.');
    const asking = (file: string) =>
      script(delegate({ agent: 'scribe', instruction: write(file) }), '!say All written.');
    const id = await web.session({ name: 'Asks' });
    const waits = web.run(id, asking('a.md'), { wait: 60 });
    const page = await web.open(`/s/${id}`, light);
    await treeitem(page, 'scribe').getByText('needs approval', { exact: true }).waitFor();
    // What would be written is seen before anybody says yes.
    await page.locator('.asked-call .added', { hasText: 'Text.' }).waitFor();
    await page.getByRole('button', { name: 'Allow once' }).click();
    await page.locator('.asking').waitFor({ state: 'detached' });
    expect((await waits).status).toBe('completed');
    await page.getByText('All written.').last().waitFor();
    // The other one by key, from the inbox.
    const again = web.run(id, asking('b.md'), { wait: 60 });
    await page.goto(`${web.url}/`);
    await page.getByRole('listitem', { name: /scribe/ }).focus();
    await page.keyboard.press('1');
    expect((await again).status).toBe('completed');
    await page.getByText('Nothing waits for you.').waitFor();
    await page.close();
  });

  it('draws an approval by its tool, with the whole input, and says how much is left to show', async () => {
    const id = await web.session({ name: 'Draws' });
    const lines = Array.from({ length: 1_000 }, (_, at) => `line ${at}`).join('\n');
    const long = call('write_file', { file_path: 'long.txt', content: lines });
    const other = call('delegate', {
      agent: 'scribe',
      context_depth: 'none',
      instruction: script(
        call('write_file', { file_path: 'x.md', content: 'X', command: 'rm -rf .' }),
        call('edit_file', {
          file_path: 'x.md',
          old_string: 'a\nstays\nc',
          new_string: 'b\nstays\nd',
          replace_all: true,
        }),
        '!say Over.',
      ),
    });
    const waits = web.run(id, script(long, other, '!say Asked.'), { wait: 60 });
    const page = await web.open(`/s/${id}`, light);
    const asked = page.locator('.asked-call');
    await asked.locator('.added', { hasText: 'line 0' }).first().waitFor();
    await asked.getByRole('button', { name: 'Show more (600 lines left)' }).click();
    await asked.locator('.added', { hasText: 'line 999' }).waitFor();
    await page.getByRole('button', { name: 'Deny' }).click();
    // The call with a member that its tool does not take is not asked about; the next one shows all it has.
    await asked.getByText('replace_all').waitFor();
    expect(await asked.locator('.prompt').count(), 'no shell command').toBe(0);
    await asked.locator('.removed', { hasText: 'a' }).waitFor();
    const shown = await asked.locator('.diff pre > div').allTextContents();
    expect(shown).toEqual(['- a', '+ b', '  stays', '- c', '+ d']);
    await page.getByRole('button', { name: 'Deny' }).click();
    expect((await waits).status).toBe('completed');
    await page.close();
  });

  it('shows what was stored while the first page of a transcript was on its way', async () => {
    const id = await web.session({ name: 'Says more' });
    await web.run(id, '!say First.', { wait: 60 });
    const json = await web.get(`/sessions/${id}/transcript?limit=30`);
    const page = await web.open('/agents', light);
    const held: Route[] = [];
    await page.route('**/transcript?limit=*', (route) => void held.push(route), { times: 1 });
    await page.evaluate(`history.pushState(null, '', '/s/${id}'); dispatchEvent(new Event('popstate'))`);
    const totals = page.locator('.session-head .totals');
    // Empty until the session is there.
    const before = await totals.filter({ hasText: /\d/ }).innerText();
    await web.run(id, '!say Second.', { wait: 60 });
    await totals.filter({ hasNotText: before }).waitFor();
    expect(held).toHaveLength(1);
    await held[0]?.fulfill({ json, headers: { 'x-has-more': 'false' } });
    // The streamed text is shown before the stored message replaces it.
    await page.locator('.assistant:not(.live)', { hasText: 'Second.' }).waitFor();
    expect(await page.locator('.assistant').allInnerTexts()).toEqual(['First.', 'Second.']);
    await page.close();
  });

  it('answers a question of a child in words', async () => {
    const id = await web.session({ name: 'Asks back' });
    const question = script(call('ask_parent', { question: 'Which colour?' }), '!say Taken.');
    const asks = delegate({ agent: 'scout', background: true, instruction: question });
    await web.run(id, script(asks, '!say It works on.'));
    const page = await web.open(`/s/${id}`, light);
    await page.getByText('Which colour?').last().waitFor();
    await page.getByLabel('Your answer').fill('Blue.');
    await page.keyboard.press('Enter');
    await page.locator('.asking').waitFor({ state: 'detached' });
    await treeitem(page, 'scout').click();
    await page.locator('.assistant:not(.live)', { hasText: 'Taken.' }).waitFor();
    await page.getByRole('button', { name: /ask_parent/ }).click();
    await page.getByText('Blue.').waitFor();
    await page.close();
  });

  it('shows text as it is written without a jump, and keeps the place of a reader', async () => {
    const id = await web.session({ profile_id: 'local/slow', name: 'Slow' });
    await web.run(id, 'Write a lot.');
    await slow.asked();
    const page = await web.open(`/s/${id}`, light);
    slow.say(`# Begun\n\n${'A line of text.\n\n'.repeat(120)}`);
    const live = page.locator('.message.live');
    await live.getByText('A line of text.').last().waitFor();
    const box = page.locator('.conversation .scroll');
    const fromEnd = () => box.evaluate((it) => it.scrollHeight - it.scrollTop - it.clientHeight);
    expect(await fromEnd()).toBeLessThan(4);
    // A box that gets smaller stays at its end, also where it hears of a scroll first.
    await box.evaluate((it) => {
      it.style.maxHeight = '200px';
      it.dispatchEvent(new Event('scroll'));
    });
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    expect(await fromEnd()).toBeLessThan(4);
    await box.evaluate((it) => it.style.removeProperty('max-height'));
    // The reader goes up; what comes does not move it.
    await box.evaluate((it) => {
      it.scrollTop = 300;
    });
    await page.getByRole('button', { name: 'To the end' }).waitFor();
    slow.say(`${'And more text.\n\n'.repeat(60)}`);
    await live.getByText('And more text.').last().waitFor({ state: 'attached' });
    expect(await box.evaluate((it) => it.scrollTop)).toBe(300);
    slow.end();
    await live.waitFor({ state: 'detached' });
    expect(await box.evaluate((it) => it.scrollTop)).toBe(300);
    await page.getByRole('button', { name: /new|To the end/ }).click();
    await expect.poll(fromEnd).toBeLessThan(4);
    expect(await page.getByText('And more text.').count()).toBe(60);
    await page.close();
  });

  it('shows stored messages from the stream, without fetching the transcript after each event', async () => {
    const id = await web.session({ auto_start: true });
    const say = (content: string) => web.post(`/sessions/${id}/messages`, { role: 'user', content });
    await say('The first message.');
    const page = await web.open(`/s/${id}`, light);
    const shown = (text: string) => page.locator('.message', { hasText: text }).waitFor();
    await shown('The first message.');
    let fetched = 0;
    page.on('request', (request) => {
      if (request.url().includes('/transcript')) fetched++;
    });
    for (let at = 1; at <= 5; at++) {
      await web.call('PATCH', `/sessions/${id}`, { name: `Name ${at}` });
      await say(`Message ${at}.`);
      await shown(`Message ${at}.`);
    }
    // When the stream has caught up.
    expect(fetched).toBeLessThanOrEqual(1);
    await page.close();
  });

  it('has a timeline, agents, spend and settings, each without a fault for readers, in dark and light, and at 360 px', async () => {
    const tree = await aTree();
    const rooms: [string, string][] = [
      ['/', 'Recent'],
      [`/s/${tree}`, 'First answer'],
      [`/s/${tree}/time`, 'Replay'],
      ['/agents', 'External coding agents'],
      ['/spend', 'most expensive'],
      ['/settings', 'Tokens, browsers'],
    ];
    const dark = await web.context({ colorScheme: 'dark', viewport: { width: 360, height: 740 } });
    await Promise.all(
      [light, dark].map(async (context) => {
        const page = await web.open('/agents', context);
        for (const [path, words] of rooms) {
          await page.evaluate(`history.pushState(null, '', '${path}'); dispatchEvent(new Event('popstate'))`);
          await page.locator('main').getByText(words).first().waitFor();
          expect([path, await axe(page)]).toEqual([path, []]);
          expect([path, await page.locator('.problem').allInnerTexts()]).toEqual([path, []]);
          const wide = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
          expect([path, wide]).toEqual([path, 0]);
        }
        await page.close();
      }),
    );
    await dark.close();
  });

  it('names a bar of the timeline, leads to its place, and looks closer at a range', async () => {
    const page = await web.open(`/s/${await aTree()}/time`, light);
    const bar = page.locator('.gantt-row .bar-model').first();
    await bar.hover({ force: true });
    await page.locator('.hovered').getByText('Model call fake-1').waitFor();
    const strip = await page.locator('.overview').boundingBox();
    if (!strip) throw new Error('There is no overview.');
    await page.mouse.move(strip.x + strip.width * 0.1, strip.y + 8);
    await page.mouse.down();
    await page.mouse.move(strip.x + strip.width * 0.6, strip.y + 8);
    await page.mouse.up();
    await page.locator('.picked').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.picked').waitFor({ state: 'detached' });
    await bar.click({ force: true });
    await page.waitForURL(/\?at=/);
    await page.locator('.message.found').waitFor();
    await page.close();
  });

  it('is driven by keys alone: palette, rooms, tree, timeline and replay', async () => {
    const tree = await aTree();
    const page = await web.open('/agents', light);
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('The root');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/s\//);
    await page.goto(`${web.url}/s/${tree}`);
    await treeitem(page, 'The root').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => !url.pathname.includes(tree));
    await page.keyboard.press('t');
    await page.getByText('Replay').waitFor();
    const slider = page.getByRole('slider', { name: 'Replay' });
    await slider.focus();
    await page.keyboard.press('Home');
    await page.getByText('event 1 of').waitFor();
    await page.getByRole('tab', { name: 'Flame of tokens' }).click();
    await page.locator('.flame-box').first().waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.getByRole('heading', { name: 'Spend' }).waitFor();
    await page.close();
  });

  const elements = (page: Page) => page.evaluate<number>("document.querySelectorAll('*').length");

  it('shows a tree of 1,000 sessions with only the rows in sight, by scroll and by key', async () => {
    const page = await web.open('/s/large-root', light);
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
    const page = await web.open('/s/long', light);
    await page.locator('#m20000').waitFor();
    const box = page.locator('.conversation .scroll');
    for (const first of [19_921, 19_871, 19_821, 19_771, 19_721, 19_671]) {
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
    // What does not fill the screen cannot be scrolled: there is more without that.
    await page.setViewportSize({ width: 1280, height: 6_000 });
    await page.goto(`${web.url}/s/long`);
    await page.locator('#m19960').waitFor();
    await page.close();
  });

  it('lets nothing in a transcript act, load, hide or mislead', async () => {
    const page = await web.open('/s/hostile', light);
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
    await page.close();
  });

  it('broke no policy, asked no other host and threw nothing', () => {
    expect(web.complaints).toEqual([]);
  });
});
