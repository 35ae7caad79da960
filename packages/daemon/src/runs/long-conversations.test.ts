import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { AttackScene, longSession } from '../../test-support/attacks.js';

const HEAP_MB = 320;

it('runs of many long conversations at once wait for memory instead of ending the daemon', async () => {
  await using scene = await AttackScene.open({
    environment: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` },
  });
  const { daemon } = scene;
  const long = await longSession(scene, 20);
  const ended = await Promise.all(
    Array.from({ length: 48 }, async () => {
      const { session_id } = await scene.post<{ session_id: string }>(`/api/v1/sessions/${long}/fork`, {});
      // Long enough that all would be at work at once.
      const order = { instruction: '!sleep 3000\n!say Done.', wait: 300 };
      const { status } = await scene.post<{ status: string }>(`/api/v1/sessions/${session_id}/runs`, order);
      return status;
    }),
  );
  expect(new Set(ended)).toEqual(new Set(['completed']));
  const status = await readFile(`/proc/${daemon.pid}/status`, 'utf8');
  expect(Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1])).toBeLessThan(3 * HEAP_MB * 1024);
});
