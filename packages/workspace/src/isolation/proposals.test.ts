import { truncate, writeFile } from 'node:fs/promises';
import { TempWorkspace } from '@amplifier/testkit';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { applyPatch } from '../patches/apply-patch.js';
import { renderDiff } from '../patches/render-diff.js';
import { takeSnapshot } from '../patches/snapshot.js';
import { Isolation } from './isolation.js';
import {
  applyProposal,
  cleanProposals,
  findProposal,
  listProposals,
  pendingProposals,
  showProposal,
} from './proposals.js';

afterEach(() => {
  vi.restoreAllMocks();
});

/** A proposal each for two folders, and the ids of those whose trees are compared from here on. */
async function scene() {
  const space = await TempWorkspace.create({ 'mine/a': 'old', 'theirs/a': 'old' });
  const home = space.resolve('home');
  const propose = async (name: string) => {
    const isolation = await Isolation.create({ home, source: space.resolve(name) });
    await writeFile(`${isolation.path}/a`, 'new');
    await isolation.keep('its changes have not been applied.', `session of ${name}`);
    return isolation.id;
  };
  const ids = { mine: await propose('mine'), theirs: await propose('theirs') };
  const compared: string[] = [];
  const patch = Isolation.prototype.patch;
  vi.spyOn(Isolation.prototype, 'patch').mockImplementation(function (this: Isolation, options) {
    compared.push(this.id);
    return patch.call(this, options);
  });
  const only = async (target: string) => target === space.resolve('mine');
  return Object.assign(space, { home, ids, compared, only });
}

describe('looking at proposals', () => {
  it('compares only trees of the folders asked for, and each once', async () => {
    await using space = await scene();
    const { home, ids, only, compared } = space;
    const [listed, ...more] = await listProposals(home, { only });
    expect(listed).toMatchObject({
      id: ids.mine,
      changes: [{ path: 'a', kind: 'modified' }],
      more_changes: 0,
    });
    expect(more).toEqual([]);
    expect(await listProposals(home, { only })).toEqual([listed]);
    expect(await findProposal(home, ids.mine.slice(0, 8), { only })).toEqual(listed);
    expect(await pendingProposals(home, 'session of theirs')).toEqual([ids.theirs]);
    expect(compared).toEqual([ids.mine]);
    await showProposal(home, ids.mine, { only });
    await applyProposal(home, ids.mine, { only, byPerson: false });
    await cleanProposals(home, { only, older_than_days: 30, dry_run: false });
    expect(compared).not.toContain(ids.theirs);
  });

  it('says the same of an id of others and of one that nobody has', async () => {
    await using space = await scene();
    const { home, ids, only, compared } = space;
    const said = (id: string) =>
      findProposal(home, id, { only }).catch((error) => error.message.replace(id, '…'));
    const words = await Promise.all(
      [ids.theirs, ids.theirs.slice(0, 4), '00000000-0000-4000-8000-000000000000'].map(said),
    );
    expect(new Set(words).size).toBe(1);
    expect(compared).toEqual([]);
  });

  it('removes no work because an earlier list was empty', async () => {
    await using space = await scene();
    const { home } = space;
    const isolation = await Isolation.create({ home, source: space.resolve('mine') });
    await isolation.keep('nothing yet');
    expect(await findProposal(home, isolation.id)).toMatchObject({ changes: [] });
    await writeFile(`${isolation.path}/later`, 'work');
    const removed = await cleanProposals(home, { older_than_days: 30, dry_run: false });
    expect(removed).toEqual([]);
  });
});

describe('the limits of a patch', () => {
  it('leave out a file that is too large without reading it, name it, and keep the rest from being applied', async () => {
    await using space = await scene();
    const { home } = space;
    const isolation = await Isolation.create({ home, source: space.resolve('mine') });
    await writeFile(`${isolation.path}/sparse`, '');
    await truncate(`${isolation.path}/sparse`, 20_000_000_000);
    await writeFile(`${isolation.path}/b`, 'b');
    const patch = await isolation.patch();
    expect(patch.changes.map(({ path }) => path)).toEqual(['b']);
    expect(patch.skipped).toMatchObject([{ path: 'sparse', reason: expect.stringContaining('larger') }]);
    await expect(applyPatch(patch, { home })).rejects.toMatchObject({ code: 'PATCH_TOO_LARGE' });
  });

  it('leave out entries beyond a number, enter no new folder, and take nothing known for deleted', async () => {
    await using space = await TempWorkspace.create({ 'known/x': 'x', 'known/y': 'y' });
    const known = await takeSnapshot(space.path);
    for (const name of ['a', 'b', 'c', 'new/d', 'known/x']) await space.write(name, 'changed');
    const limits = { entries: 2, bytes: 1_000 };
    const cut = await takeSnapshot(space.path, { known, limits });
    expect([...cut.entries.keys()].sort()).toEqual(['a', 'b', 'known', 'known/y']);
    expect(cut.skipped.map(({ path }) => path)).toEqual(['c', 'new', 'known/x']);
    expect(cut.is_cut).toBe(true);
    expect((await takeSnapshot(space.path, { known })).is_cut).toBe(false);
  });

  it('bound the content of a diff, which says how many files it leaves out', async () => {
    await using space = await TempWorkspace.create();
    const content = Buffer.alloc(1024 * 1024, 'a');
    const after = { type: 'file' as const, mode: 0o644, size: content.length, sha256: '' };
    const changes = Array.from({ length: 40 }, (_, at) => ({ path: `${at + 10}`, before: null, after }));
    const asked: string[] = [];
    const diff = await renderDiff(space.path, changes, async (_, { path }) => {
      asked.push(path);
      return content;
    });
    expect(asked).toHaveLength(32);
    expect(diff.toString('latin1', diff.length - 200)).toContain('# 8 files are not shown');
  });

  it('list the first changes and count the others', async () => {
    await using space = await scene();
    const { home } = space;
    const isolation = await Isolation.create({ home, source: space.resolve('mine') });
    for (let at = 0; at < 1_005; at++) await writeFile(`${isolation.path}/${at}`, '');
    await isolation.keep('many');
    const { changes, more_changes } = await findProposal(home, isolation.id);
    expect([changes.length, more_changes]).toEqual([1_000, 5]);
  });
});
