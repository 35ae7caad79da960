import { replyFromConversation } from '@amplifier/testkit';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, delegate, script } from '../../packages/daemon/test-support/run-profile.js';
import { axe } from './support/axe.js';
import { hasChromium } from './support/chromium.js';
import { UserBench } from './support/user-bench.js';

describe.skipIf(!hasChromium)("a person's own home in a browser", () => {
  let web: UserBench;
  let context: BrowserContext;
  beforeAll(async () => {
    web = await UserBench.start();
    context = await web.context();
  });
  afterAll(async () => {
    await web?.[Symbol.asyncDispose]();
  });

  const state = (page: Page, word: string) => page.locator('.session-head').getByText(word).waitFor();
  const idIn = (page: Page) => new URL(page.url()).pathname.split('/')[2] ?? '';

  it('begins with three things to try: a session on the own model and the offline demo really start', async () => {
    const page = await web.open('/', context);
    await page.getByRole('heading', { name: 'Nothing has run yet' }).waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Ask about this folder' }).click();
    await page.waitForURL(/\/s\//);
    await page.getByText('You said: Find out what this folder holds.').waitFor();
    await state(page, 'done');
    await web.call('DELETE', `/sessions/${idIn(page)}`);
    await page.goto(`${web.url}/`);
    await page.getByRole('button', { name: 'Run the offline demo' }).click();
    await page.waitForURL(/\/s\//);
    await page.getByRole('treeitem', { name: 'reviewer' }).waitFor();
    await state(page, 'done');
    await expect.poll(() => page.getByRole('treeitem', { level: 2 }).count()).toBe(3);
    await page.close();
  });

  it('answers what a run in a terminal asks, by one key in the inbox', async () => {
    const write = script(
      call('write_file', { file_path: 'b.txt', content: 'two' }),
      '!say Written as asked.',
    );
    const terminal = web.box.open(['run', '-m', 'fake-1', write]);
    await terminal.see('Deny');
    const page = await web.open('/', context);
    await page.getByRole('listitem', { name: /write_file/ }).focus();
    await page.keyboard.press('1');
    await terminal.see('Written as asked.');
    expect(await terminal.ended).toBe(0);
    expect(await web.box.folder.read('b.txt')).toBe('two');
    await page.getByText('Nothing waits for you.').waitFor();
    await page.close();
  });

  it('sees a run in a terminal as it is written, tells it something, answers it and cancels it', async () => {
    const write = script(call('write_file', { file_path: 'c.txt', content: 'three' }), '!say Done as told.');
    const asking = web.box.open(['run', '-m', 'fake-1', write]);
    await asking.see('Deny');
    const page = await web.open('/', context);
    await page.locator('.running-card a').first().click();
    await page.locator('.asked-call .added', { hasText: 'three' }).waitFor();
    await page.locator('#composer').fill('Be brief about it.');
    await page.keyboard.press('Enter');
    await page.getByText('Be brief about it.').waitFor();
    await page.getByRole('button', { name: 'Allow once' }).click();
    await asking.see('Done as told.');
    expect(await asking.ended).toBe(0);
    expect(JSON.stringify(web.model.exchanges.at(-1))).toContain('Be brief about it.');
    await page.locator('.message.user:not(.live)', { hasText: 'Be brief about it.' }).waitFor();
    const hung = web.box.open(['run', '-m', 'fake-1', '!say Half written in a terminal\n!hang midway']);
    await hung.see('Half written');
    await page.goto(`${web.url}/`);
    await page.locator('.running-card a').first().click();
    await page.locator('.message.live').getByText('Half written in a terminal').waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await state(page, 'cancelled');
    expect(await hung.ended).not.toBe(0);
    await page.close();
  });

  it('continues a session whose terminal was killed, from its composer', async () => {
    web.model.play(() => ({ hang: 'before' }));
    let kill = () => {};
    const run = web.box.run(['run', '!say Continued here.'], {
      onStart: (child) => (kill = () => child.kill('SIGKILL')),
    });
    await web.model.received();
    kill();
    await run;
    web.model.play(({ steps }) => replyFromConversation(steps));
    const [item] = (await web.get('/inbox')).filter(({ kind }: { kind: string }) => kind === 'interrupted');
    const page = await web.open(`/s/${item.session_id}`, context);
    await state(page, 'interrupted');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('.assistant', { hasText: 'Continued here.' }).waitFor();
    await state(page, 'done');
    await page.close();
  });

  it('cancels a session with everything below it', async () => {
    const { session_id } = await web.post('/sessions', { name: 'Holds on' });
    const hung = delegate({ agent: 'explorer', instruction: '!say Far down.\n!hang midway' });
    await web.post(`/sessions/${session_id}/runs`, { instruction: script(hung, '!say Never.') });
    const page = await web.open(`/s/${session_id}`, context);
    const child = page.getByRole('treeitem', { level: 2 });
    await child.waitFor();
    await page.getByRole('button', { name: 'Cancel subtree' }).click();
    await child.getByText('cancelled').waitFor();
    await state(page, 'cancelled');
    await page.close();
  });

  it('applies the patch of a child that could only propose when it fits, and discards another', async () => {
    const proposed = async (text: string) => {
      const run = ['delegate', 'acp:chaos', `!write a.txt ${text}`, '--safety', 'propose', '--json'];
      const { session_id } = (await web.box.run(run)).json();
      const page = await web.open(`/s/${session_id}`, context);
      await page.locator('.facts .diff .added', { hasText: text }).waitFor();
      return page;
    };
    const { folder } = web.box;
    const first = await proposed('two');
    // While it does not fit it is not applied, and stays.
    await folder.write('a.txt', 'changed meanwhile\n');
    await first.getByRole('button', { name: 'Apply' }).click();
    await first.getByRole('status').getByText('no longer applies').waitFor();
    expect(await folder.read('a.txt')).toBe('changed meanwhile\n');
    await folder.write('a.txt', 'one\n');
    await first.getByRole('button', { name: 'Apply' }).click();
    await first.getByRole('status').getByText('The patch was applied.').waitFor();
    expect(await folder.read('a.txt')).toBe('two\n');
    const second = await proposed('three');
    await second.getByRole('button', { name: 'Discard' }).click();
    await second.getByRole('status').getByText('The patch was discarded.').waitFor();
    expect(await folder.read('a.txt')).toBe('two\n');
    const states = (await web.get('/proposals')).map(({ state: it }: { state: string }) => it);
    expect(states).toEqual(['applied']);
    await Promise.all([first.close(), second.close()]);
  });

  it('tries an agent, tests a provider, makes and revokes a token, and shares a tree', async () => {
    const asked = web.model.exchanges.length;
    const page = await web.open('/agents', context);
    await page.getByRole('button', { name: /^explorer/ }).click();
    await page.getByLabel('A task to try explorer with').fill('Look around.');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.locator('.preview').getByText('Limits').waitFor();
    expect(web.model.exchanges).toHaveLength(asked);
    await page.goto(`${web.url}/settings`);
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.locator('.provider-list').getByText('fake-1').last().waitFor();
    await web.model.received(asked + 1);
    await page.getByLabel('What the token is for').fill('a script');
    await page.getByRole('button', { name: 'Make a token' }).click();
    const token = await page.locator('.new-token code').innerText();
    const look = async () =>
      (
        await fetch(`${web.served.url}/api/v1/trees`, {
          headers: { authorization: `Bearer ${token}` },
        })
      ).status;
    expect(await look()).toBe(200);
    const row = page.getByRole('row', { name: /a script/ });
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Revoked.').waitFor();
    expect(await look()).toBe(401);
    const { session_id } = await web.post('/sessions', { name: 'To be shared' });
    await page.goto(`${web.url}/s/${session_id}`);
    await page.getByRole('treeitem').first().waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('Copy a link');
    await page.keyboard.press('Enter');
    const said = await page.getByRole('status').getByText('The link shows this tree').innerText();
    const guest = await (await web.browser.newContext()).newPage();
    await guest.goto(/http\S+/.exec(said)?.[0] ?? '');
    await guest.getByRole('treeitem').first().waitFor();
    // Nothing is offered that would be refused.
    await guest.getByText('You have read-only access.').waitFor();
    expect(await guest.getByRole('button', { name: /Run|Fork|Delegate|Find or do/ }).count()).toBe(0);
    await guest.goto(`${web.url}/settings`);
    await guest.waitForURL(/\/s\//);
    expect(await guest.evaluate<number>("fetch('/api/v1/trees').then(({ status }) => status)")).toBe(403);
    await page.close();
  });

  it('broke no policy, asked no other host and threw nothing', () => {
    expect(web.complaints).toEqual([]);
  });
});
