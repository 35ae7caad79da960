import {
  editTree,
  Outside,
  picture,
  randomRepo,
  seededRandom,
  swapFolders,
  TempWorkspace,
} from '@amplifier/testkit';
import { applyPatch, Isolation, undoApply } from '@amplifier/workspace';

/** Isolates a random repository, edits at random, applies and undoes. Returns what was wrong, or null. */
export async function tryEditScript(seed: number): Promise<string | null> {
  const random = seededRandom(seed);
  await using outside = await Outside.create();
  await using repo = await randomRepo(random, outside);
  await using home = await TempWorkspace.create();
  const before = await picture(repo.path);
  const isolation = await Isolation.create({ home: home.path, source: repo.path });
  await editTree(isolation.tree, random, 1 + Math.floor(random() * 25), outside);
  const patch = await isolation.patch({ includeIgnored: true });
  const applied = await applyPatch(patch, { home: home.path });
  if (applied.status !== 'applied')
    return `seed ${seed}: a conflict out of nothing: ${JSON.stringify(applied.conflicts)}`;
  if ((await picture(repo.path)) !== (await picture(isolation.tree)))
    return `seed ${seed}: applied, the tree is not what the agent left`;
  const undone = await undoApply(applied.apply_id, { home: home.path });
  if (undone.status !== 'undone') return `seed ${seed}: undo refused: ${JSON.stringify(undone.conflicts)}`;
  if ((await picture(repo.path)) !== before) return `seed ${seed}: undone, the tree is not what it was`;
  await isolation.dispose();
  return (await outside.isUntouched()) ? null : `seed ${seed}: a file outside the tree was changed`;
}

/** Applies and undoes a random patch while folders of the tree turn into links that lead out. Returns what was wrong, or null. */
export async function tryHostileApply(seed: number): Promise<string | null> {
  const random = seededRandom(seed);
  await using outside = await Outside.create();
  await using repo = await randomRepo(random, outside);
  await using home = await TempWorkspace.create();
  const isolation = await Isolation.create({ home: home.path, source: repo.path });
  await editTree(isolation.tree, random, 40, outside);
  const patch = await isolation.patch({ includeIgnored: true });
  const stop = new AbortController();
  const swapping = swapFolders(repo.path, await outside.copy(repo.path), random, stop.signal);
  try {
    for (let round = 0; round < 5; round++) {
      const applied = await applyPatch(patch, { home: home.path });
      if (applied.status === 'applied') await undoApply(applied.apply_id, { home: home.path });
    }
  } catch (error) {
    // A folder that is gone for a moment may end an apply in many ways; all but a mistake of ours are errors with a code.
    if (!(error instanceof Error && 'code' in error)) throw error;
  } finally {
    stop.abort();
    await swapping;
  }
  return (await outside.isUntouched()) ? null : `seed ${seed}: a file outside the tree was changed`;
}
