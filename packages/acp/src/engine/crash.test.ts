import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@amplifier/core';
import { reclaimIsolations, reclaimProcesses } from '@amplifier/workspace';
import { describe, expect, it } from 'vitest';
import { acpBench, patchOf, sandbox } from '../../test-support/acp-bench.js';

const DOOMED = fileURLToPath(new URL('../../test-support/doomed-process.mjs', import.meta.url));

describe.each([
  ['with a sandbox', true],
  ['without one', false],
])('our own sudden death, %s', (_name, sandboxed) => {
  it.runIf(sandbox.name !== 'none' || !sandboxed)(
    'leaves no process, keeps the work, and the session can be brought to its end',
    async () => {
      await using bench = await acpBench();
      const session_id = 'session_doomed';
      const instruction = '!daemon\n!write b.txt new\n!hang_unless go.txt\n!say Done.';
      const { plan, cwd, trusted, agent } = bench.request(instruction);
      const child = spawn(
        process.execPath,
        [
          DOOMED,
          JSON.stringify({
            folder: bench.home.resolve('sessions'),
            isolationHome: bench.isolationHome,
            home: bench.home.resolve('user'),
            agent: agentSettings(bench),
            request: { plan, cwd, trusted, agent, instruction, session_id, safety_mode: 'write' },
            sandboxed,
          }),
        ],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      await written(child.stdout, 'wrote b.txt.');
      const died = once(child, 'exit');
      child.kill('SIGKILL');
      await died;

      await reclaimProcesses(systemClock);
      const [reclaimed] = await reclaimIsolations(bench.isolationHome);
      expect((await bench.leftovers()).processes).toEqual([]);
      expect(reclaimed).toMatchObject({ outcome: 'kept' });
      expect(await bench.repo.git('status', '--porcelain')).toBe('');

      await bench.repo.write('go.txt', 'go\n');
      const { outcome } = await bench.delegator.continue(session_id);
      expect(outcome).toMatchObject({ status: 'completed', text: expect.stringContaining('Done.') });
      expect(patchOf(outcome)).toMatchObject({ applied: true });
      expect(await bench.repo.read('b.txt')).toBe('new\n');
      expect((await bench.leftovers()).processes).toEqual([]);
    },
  );
});

/** Waits until the stream has held the text. Throws if it ends before. */
async function written(stream: Readable, expected: string): Promise<void> {
  let text = '';
  for await (const chunk of stream) {
    text += chunk;
    if (text.includes(expected)) return;
  }
  throw new Error(`The process ended after: ${text}`);
}

function agentSettings({ roster }: Awaited<ReturnType<typeof acpBench>>) {
  const { id: _, ...settings } = roster.get('chaos');
  return settings;
}
