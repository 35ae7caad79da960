import { seededRandom } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { checkCuts, continueAfterCut, withRecorded } from '../../test-support/power-cuts.js';

// Every byte: torture/power-cut.torture.ts.
it('after a power cut all that led to a tool or an answer is there, and the delegation ends once', async () => {
  await withRecorded(async (recorded, folderFor) => {
    const { wal, frames, commits, effects } = recorded;
    const random = seededRandom(12);
    const inFile = (places: number[]) => places.filter((at) => at >= 0 && at <= wal.length);
    const inside = inFile(frames.flatMap((at) => [at + 12, at + 24 + Math.floor(random() * 4_096)]));
    const edges = inFile(frames.flatMap((at) => [at - 1, at, at + 1]));
    const states = await checkCuts(recorded, folderFor('cut'), [...edges, ...inside]);
    expect(states).toBeGreaterThan(new Set(effects.map(({ synced }) => synced)).size);
    await checkCuts(recorded, folderFor('sector'), frames, 'all but a sector');
    await checkCuts(recorded, folderFor('earlier'), [...edges, ...inside], 'earlier');
    const moments = [0, ...commits, ...effects.map(({ synced }) => synced)].flatMap((at) => [at - 1, at]);
    const sample = inside.filter(() => random() < 0.05);
    for (const at of new Set(inFile([...moments, ...sample])))
      await continueAfterCut(recorded, folderFor(`cut-${at}`), at);
  });
});
