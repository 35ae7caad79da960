import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { tryEditScript, tryHostileApply } from '../../torture/edit-scripts.js';
import { tryKilledApply } from '../../torture/kill-apply.js';
import { ownHomes } from '../grant/own-homes.js';
import { recoverApplies, undoApply } from './apply-patch.js';
import { applyPlaces } from './apply-record.js';

it('random edit scripts: apply then undo is the identity', async () => {
  const problems = await Promise.all(Array.from({ length: 6 }, (_, index) => tryEditScript(5000 + index)));
  expect(problems).toEqual(problems.map(() => null));
});

it('an apply that is killed leaves the old or the new tree', async () => {
  const trials = await Promise.all(Array.from({ length: 2 }, (_, index) => tryKilledApply(7000 + index)));
  expect(trials.map(({ problem }) => problem)).toEqual(trials.map(() => null));
});

it('apply and undo never reach through a folder that turned into a link', async () => {
  const problems = await Promise.all(Array.from({ length: 6 }, (_, index) => tryHostileApply(9000 + index)));
  expect(problems.filter((problem) => problem !== null)).toEqual([]);
});

it.each([
  { name: 'a git hook', path: '.git/hooks/pre-commit' },
  { name: 'a file outside the folder', path: '../planted' },
  { name: 'an absolute path', path: '/tmp/planted' },
  { name: 'a folder of the runtime', path: 'planted.yaml', target: () => ownHomes()[0] as string },
  { name: 'another id', path: 'planted', other: '22222222-2222-4222-8222-222222222222' },
])('a journal that names $name is never acted on', async ({ path, target, other }) => {
  await using home = await TempWorkspace.create();
  await using folder = await TempWorkspace.create();
  const id = '11111111-1111-4111-8111-111111111111';
  const places = applyPlaces(home.path, id);
  const before = { type: 'file', mode: 0o755, size: 1, sha256: '0'.repeat(64) };
  const owner = { pid: 999_999, start: '1', host: 'h', boot: 'b', namespace: 'n' };
  const journal = {
    ...{
      version: 1,
      id: other ?? id,
      target: target?.() ?? folder.path,
      state: 'applying',
      isolation_id: null,
    },
    steps: [{ path, before, after: null, before_mtime: null }],
    ...{ owner, created_at: new Date(0).toISOString() },
  };
  await mkdir(dirname(places.content('before', 0)), { recursive: true });
  await writeFile(places.content('before', 0), 'x');
  await writeFile(places.record, JSON.stringify(journal));
  expect(await recoverApplies(home.path)).toEqual([]);
  await expect(undoApply(id, { home: home.path })).rejects.toMatchObject({ code: 'RECORD_INVALID' });
});
