import { access, writeFile } from 'node:fs/promises';
import { systemClock } from '@amplifier/core';
import { expect, it } from 'vitest';
import { tryOverlay } from '../../test-support/overlay-trials.js';
import { RunBench } from '../../test-support/run-bench.js';
import { ScopedTokens } from '../auth/scoped-tokens.js';

const TRIALS = Number(process.env.OVERLAY_TRIALS ?? 150);

it('random overlays with a run token read no file outside the roots and start no process outside the sandbox', async () => {
  await using bench = await RunBench.start();
  const { workspace, home, daemon } = bench.daemon;
  const outside = workspace.resolve('outside.txt');
  await writeFile(outside, 'CANARY-OUTSIDE');
  const marker = workspace.resolve('marker');
  const { token } = await new ScopedTokens(bench.daemon.record).create({ scope: 'run' }, systemClock);
  const canaries = {
    secrets: [daemon.token, 'CANARY-OUTSIDE', 'sk-run-test'],
    files: [outside, `${home}/token`, '/etc/hostname', '/etc/passwd'],
    marker,
    parent: await bench.session(),
  };
  const first = process.env.OVERLAY_TRIALS ? Date.now() % 1_000_000 : 1;
  const faults: string[] = [];
  let made = 0;
  for (let seed = first; seed < first + TRIALS; seed++) {
    const { fault, isMade } = await tryOverlay(bench, token, canaries, seed, 10);
    if (fault !== null) faults.push(fault);
    if (isMade) made++;
  }
  expect(faults).toEqual([]);
  // What is refused shows little: enough of them became sessions.
  expect(made).toBeGreaterThan(TRIALS / 20);
  await expect(access(marker)).rejects.toThrow('ENOENT');
});
