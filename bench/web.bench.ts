// What web.md holds the browser application to: first content, frames and long tasks with large sessions, and memory over many events.
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { runProfile } from '../packages/daemon/test-support/run-profile.js';
import { seedLargeRecord } from '../tests/web/support/seed-record.js';
import { SlowModel } from '../tests/web/support/slow-model.js';
import { WebBench } from '../tests/web/support/web-bench.js';
import { isSmoke } from './lib/measure.js';

const SIZES = isSmoke ? { children: 50, messages: 500 } : { children: 999, messages: 20_000 };
const ROUNDS = isSmoke ? 1 : 5;
const STREAM_SECONDS = isSmoke ? 1 : Number(flag('--seconds') ?? 600);
const PER_SECOND = 50;

const WATCH_LONG_TASKS = `
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
  }).observe({ type: 'longtask' });
`;

/** When the first frame with it was drawn, on the page's own clock, which begins with the navigation. */
const WATCH_FOR = (selector: string) => `
  new MutationObserver((_, observer) => {
    if (!document.querySelector('${selector}')) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => { window.drawn = performance.now(); }));
  }).observe(document, { childList: true, subtree: true });
`;

/** Frames since it was asked first. */
const COUNT_FRAMES = `
  window.frames60 = { begin: performance.now(), count: 0 };
  requestAnimationFrame(function next() { window.frames60.count++; requestAnimationFrame(next); });
`;

/** Frames a second while a box is scrolled, and back at its ends. */
const SCROLL = (box: string, ms: number) => `(async () => {
  const element = document.querySelector('${box}');
  const begin = performance.now();
  let frames = 0;
  let step = element.scrollTop > 0 ? -120 : 120;
  while (performance.now() - begin < ${ms}) {
    await new Promise(requestAnimationFrame);
    const before = element.scrollTop;
    element.scrollTop += step;
    if (element.scrollTop === before) step = -step;
    frames++;
  }
  return (frames / (performance.now() - begin)) * 1_000;
})()`;

await using web = await WebBench.start({}, [], (home) => seedLargeRecord(home, SIZES));
await using slow = await SlowModel.start();
const manifest = runProfile(slow.url).replace('name: worker', 'name: slow');
await web.post('/profiles', { name: 'slow', manifest });
const context = await web.context();
await context.addInitScript(WATCH_LONG_TASKS);

await firstContent(context, '/s/long', `#m${SIZES.messages}`, `${SIZES.messages} messages`);
await firstContent(
  context,
  '/s/large-root',
  '[role=treeitem]:nth-of-type(20)',
  `${SIZES.children + 1} sessions`,
);
for (const path of ['/', '/agents', '/spend', '/settings'])
  await firstContent(context, path, 'main :is(table, section, .agent-list)', path, 300);
await scrolling(
  context,
  '/s/long',
  `#m${SIZES.messages}`,
  '.conversation .scroll',
  `${SIZES.messages} messages`,
);
await scrolling(context, '/s/large-root', '[role=treeitem]', '.tree', `${SIZES.children + 1} sessions`);
await streaming(context);

async function firstContent(
  within: BrowserContext,
  path: string,
  selector: string,
  name: string,
  most = 500,
): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const page = await within.newPage();
    await page.addInitScript(WATCH_FOR(selector));
    await page.goto(web.url + path, { waitUntil: 'commit' });
    await page.waitForFunction(() => 'drawn' in globalThis);
    times.push(await page.evaluate<number>('window.drawn'));
    await page.close();
  }
  times.sort((a, b) => a - b);
  const [median, last] = [times[Math.floor(times.length / 2)], times.at(-1)];
  print(
    `first content, ${name}`,
    `${median?.toFixed(0)} ms, slowest ${last?.toFixed(0)} ms`,
    `at most ${most} ms`,
  );
}

async function scrolling(
  within: BrowserContext,
  path: string,
  seen: string,
  box: string,
  name: string,
): Promise<void> {
  const page = await open(within, path, seen);
  const frames = await page.evaluate<number>(SCROLL(box, isSmoke ? 100 : 5_000));
  print(
    `scrolling, ${name}`,
    `${frames.toFixed(0)} frames a second, longest task ${await longest(page)} ms`,
    '60, at most 100 ms',
  );
  await page.close();
}

async function streaming(within: BrowserContext): Promise<void> {
  const id = await web.session({ profile_id: 'local/slow', name: 'Streams' });
  await web.run(id, 'Write.');
  await slow.asked();
  const page = await open(within, `/s/${id}`, '.message.user');
  await page.evaluate(COUNT_FRAMES);
  const devtools = await within.newCDPSession(page);
  const heaps: number[] = [];
  const tasks: number[] = [];
  // A collection that was asked for is a long task of ours, not of the page.
  const lookAtHeap = async () => {
    tasks.push(Number(await longest(page)));
    heaps.push(await liveHeap(devtools));
    await page.evaluate('new Promise(requestAnimationFrame).then(() => { window.longest = 0; })');
  };
  let due = performance.now();
  for (let second = 0; second < STREAM_SECONDS; second++) {
    for (let at = 0; at < PER_SECOND; at++) {
      slow.say(`word ${at}${at % 10 === 9 ? '.\n\n' : ' '}`);
      due += 1_000 / PER_SECOND;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    }
    // A message of its own every half minute, as models write them.
    if (second % 30 === 29) {
      slow.end();
      await page.locator('.message.live').waitFor({ state: 'detached' });
      await lookAtHeap();
      await web.run(id, 'Write on.');
      await slow.asked();
    }
  }
  slow.end();
  const frames = await page.evaluate<number>(
    '(frames60.count / (performance.now() - frames60.begin)) * 1_000',
  );
  await lookAtHeap();
  // The first ones fill the window of messages that a page keeps.
  const shown = [Math.min(2, heaps.length - 1), Math.floor(heaps.length / 2), heaps.length - 1];
  print(
    `streaming, ${PER_SECOND} events a second for ${STREAM_SECONDS} s`,
    `${frames.toFixed(0)} frames a second, longest task ${Math.max(...tasks)} ms`,
    '60, at most 100 ms',
  );
  print(
    '  heap at its start, middle and end',
    shown.map((at) => `${((heaps[at] ?? 0) / 1e6).toFixed(2)} MB`).join(', '),
    'flat',
  );
  await page.close();
}

async function open(within: BrowserContext, path: string, selector: string): Promise<Page> {
  const page = await within.newPage();
  await page.goto(web.url + path);
  await page.locator(selector).first().waitFor();
  await page.evaluate('window.longest = 0');
  return page;
}

function longest(page: Page): Promise<string> {
  return page.evaluate<string>('window.longest.toFixed(0)');
}

async function liveHeap(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  return usedSize;
}

function flag(name: string): string | undefined {
  return process.argv.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
}

function print(name: string, value: string, held: string): void {
  console.log(`${name.padEnd(56)} ${value.padEnd(52)} held to ${held}`);
}
