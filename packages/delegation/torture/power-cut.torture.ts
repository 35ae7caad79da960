import { expect, it } from 'vitest';
import { checkCuts, continueAfterCut, withRecorded } from '../test-support/power-cuts.js';

it('after a power cut at any byte all that led to a tool or an answer is there, and the delegation ends once', async () => {
  await withRecorded(async (recorded, folderFor) => {
    const { wal, frames, effects } = recorded;
    const bytes = Array.from({ length: wal.length + 1 }, (_, at) => at);
    const states = await checkCuts(recorded, folderFor('cut'), bytes);
    expect(states).toBeGreaterThan(new Set(effects.map(({ synced }) => synced)).size);
    await checkCuts(recorded, folderFor('sector'), frames, 'all but a sector');
    const sampled = bytes.filter((at) => at % 100 === 0);
    await checkCuts(recorded, folderFor('earlier'), sampled, 'earlier');
    const places = new Set(frames.flatMap((at) => [at - 1, at, at + 1, at + 12, at + 2_000]));
    const continued = [...places].filter((at) => at >= 0 && at <= wal.length);
    for (const at of continued) await continueAfterCut(recorded, folderFor(`cut-${at}`), at);
    console.log(
      `${bytes.length} cuts, ${states} states; ${frames.length} lost sectors; ${sampled.length} cuts over an earlier log; ${continued.length} delegations continued.`,
    );
  });
}, 3_600_000);
