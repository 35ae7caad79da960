import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { call, delegate, script } from '../../../packages/daemon/torture/run-profile.js';
import { seedPictureRecord } from './picture-scene.js';
import { WebBench } from './web-bench.js';

const OUT = process.env.PICTURES ?? join(import.meta.dirname, '../../../docs/web');
const SIZE = { width: 1280, height: 800 };

mkdirSync(OUT, { recursive: true });
await using web = await WebBench.start({}, [], (home) => seedPictureRecord(home, Date.now()));
const asking = await web.session({ name: 'Write the release notes' });
const write = script(
  call('write_file', { file_path: 'docs/release.md', content: '# 2.5\n' }),
  '!say Written.',
);
await web.run(asking, script(delegate({ agent: 'scribe', instruction: write }), '!say Done.'));
const writing = await web.session({ name: 'Explain the cart' });
await web.run(writing, '!say The cart keeps its items in the session, and adds them up\n!hang midway');

const rooms: [name: string, path: string, seen: string][] = [
  ['now', '/', 'Allow once'],
  ['session', '/s/shop-rounding', 'Both agents are done'],
  ['timeline', '/s/shop-rounding/time', 'Replay'],
  ['agents', '/agents', 'External coding agents'],
  ['spend', '/spend', 'dearest'],
  ['settings', '/settings', 'Tokens, browsers'],
];
for (const colorScheme of ['light', 'dark'] as const) {
  const context = await web.context({ colorScheme, viewport: SIZE });
  for (const [name, path, seen] of rooms) {
    const page = await web.open(path, context);
    await page.getByText(seen).first().waitFor();
    // Colours of code, and what comes in a moment later.
    await page.waitForTimeout(800);
    if (name === 'session') await page.locator('.call .head').nth(1).click();
    if (name === 'session') await page.locator('.conversation .scroll').evaluate((it) => it.scrollTo(0, 0));
    await page.screenshot({ path: join(OUT, `${name}-${colorScheme}.png`) });
    await page.close();
  }
  await context.close();
}
