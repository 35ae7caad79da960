import { readdir, readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ATTACKS, AttackScene } from '../test-support/attacks.js';

let scene: AttackScene;

beforeAll(async () => {
  scene = await AttackScene.open({ environment: { AMPLIFIERD_SHUTDOWN_TIMEOUT_MS: '500' } });
});
afterAll(() => scene[Symbol.asyncDispose]());

/** Child processes of the daemon: those that ended and were not collected, and those that live. */
async function processesBelow(pid: number): Promise<{ dead: number; alive: number }> {
  const counts = { dead: 0, alive: 0 };
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    const children = await readFile(`/proc/${pid}/task/${thread}/children`, 'latin1').catch(() => '');
    for (const child of children.match(/\d+/g) ?? []) {
      const stat = await readFile(`/proc/${child}/stat`, 'latin1').catch(() => null);
      if (stat !== null) counts[/\) [ZX] /.test(stat) ? 'dead' : 'alive']++;
    }
  }
  return counts;
}

/** Files and folders that a process watches. */
async function watchesOf(pid: number): Promise<number> {
  let count = 0;
  for (const name of await readdir(`/proc/${pid}/fdinfo`)) {
    const info = await readFile(`/proc/${pid}/fdinfo/${name}`, 'latin1').catch(() => '');
    count += info.match(/^inotify wd:/gm)?.length ?? 0;
  }
  return count;
}

describe('a daemon under attack answers, lets others finish and goes on:', () => {
  it.each(Object.entries(ATTACKS))(
    '%s',
    async (name, attack) => {
      const { daemon } = scene;
      // These start commands, or ripgrep.
      const runsCommands = /commands|glob/.test(name);
      const over = new AbortController();
      const attacked = attack(scene).finally(() => over.abort());
      const health = new Set<number>();
      const most = { processes: 0, watches: 0 };
      const watching = (async () => {
        do {
          health.add((await fetch(`${daemon.url}/healthz`)).status);
          if (!runsCommands)
            most.processes = Math.max(most.processes, (await processesBelow(daemon.pid)).alive);
          most.watches = Math.max(most.watches, await watchesOf(daemon.pid));
          // At most fifty times a second: the attack needs the processor, too.
          await setTimeout(20);
        } while (!over.signal.aborted);
      })();
      const [other] = await Promise.all([scene.run('!say Fine.'), attacked, watching]);
      expect([other.status, other.outcome.text]).toEqual(['completed', 'Fine.']);
      expect(health).toEqual(new Set([200]));
      // Nobody has a process or a watch of its own, and what ran was collected.
      expect(most.processes).toBe(0);
      expect(most.watches).toBeLessThan(32);
      await expect
        .poll(() => processesBelow(daemon.pid), { timeout: 100_000 })
        .toEqual({ dead: 0, alive: 0 });
    },
    300_000,
  );

  it('takes no more memory than a daemon may for all of that', async () => {
    const status = await readFile(`/proc/${scene.daemon.pid}/status`, 'utf8');
    expect(Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1])).toBeLessThan(1024 * 1024);
  });

  it('and ends when it is told to', async () => {
    const { model, daemon } = scene;
    void scene.run('!hang').catch(() => {});
    await model.received(model.exchanges.length + 1);
    expect(await daemon.stop()).toBe(0);
  });
});
