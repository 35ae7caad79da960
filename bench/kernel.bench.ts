// What a kernel session costs beside a bare promise loop: construct, initialize, one scripted turn, clean up; and fork.
import { scriptedSession } from '@amplifier/testkit';
import { heapBytesPer, isSmoke, measure, printTable } from './lib/measure.js';

const script = () => ({ text: 'Done.' });

/** The floor: as many awaits as a turn has steps, and nothing else. */
async function bareLoop(): Promise<string> {
  let text = '';
  for (let step = 0; step < 12; step++) text = await Promise.resolve('Done.');
  return text;
}

async function wholeSession(): Promise<void> {
  const { session } = scriptedSession({ script });
  await session.initialize();
  await session.execute('Do it.');
  await session.cleanup();
}

const parent = scriptedSession({ script }).session;
await parent.initialize();
const overlay = {
  tools: [{ module: 'tool-test', config: { depth: 1 } }],
  session: { metadata: { agent: 'explorer' } },
};

async function forkOnly(): Promise<void> {
  const child = await parent.fork(overlay, 'Look around.');
  await child.cleanup();
}

async function forkAndTurn(): Promise<void> {
  const child = await parent.fork(overlay, 'Look around.');
  await child.execute('Look around.');
  await child.cleanup();
}

printTable(
  'Kernel session',
  await measure([
    { name: 'bare promise loop (floor)', run: bareLoop },
    { name: 'construct + initialize + turn + cleanup', run: wholeSession },
    { name: 'fork + cleanup', run: forkOnly },
    { name: 'fork + turn + cleanup', run: forkAndTurn },
  ]),
);

const bytes = await heapBytesPer(isSmoke ? 100 : 5000, async () => {
  const { session } = scriptedSession({ script });
  await session.initialize();
  await session.execute('Do it.');
  return session;
});
console.log(`\n  heap per session kept after one turn: ${Math.round(bytes)} bytes`);
