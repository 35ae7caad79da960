import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { editTree, Outside, picture, randomRepo, seededRandom, TempWorkspace } from '@amplifier/testkit';
import { applyPatch, Isolation, recoverApplies } from '@amplifier/workspace';

const VICTIM = fileURLToPath(new URL('./apply-victim.mjs', import.meta.url));

export interface KillTrial {
  /** What was wrong, or null. */
  problem: string | null;
  /** Did the kill come between the first and the last change? */
  in_the_middle: boolean;
}

/** Applies a random patch in another process, which is killed with SIGKILL between two random file operations of it or of its undo; recovers, and looks at the tree. */
export async function tryKilledApply(seed: number): Promise<KillTrial> {
  const random = seededRandom(seed);
  await using outside = await Outside.create();
  await using repo = await randomRepo(random, outside);
  await using home = await TempWorkspace.create();
  const isolation = await Isolation.create({ home: home.path, source: repo.path });
  await editTree(isolation.tree, random, 120, outside);
  const before = await picture(repo.path);
  const after = await pictureOfApplied(isolation, repo.path, home.path);

  const part = `${random() < 0.3 ? 'undo:' : ''}${random()}`;
  const victim = spawn(process.execPath, [VICTIM, home.path, isolation.id, part], { stdio: 'inherit' });
  const [code, signal] = await once(victim, 'exit');
  if (signal !== 'SIGKILL' && code !== 0)
    return { problem: `seed ${seed}: exit code ${code}`, in_the_middle: false };

  const found = await picture(repo.path);
  const in_the_middle = found !== before && found !== after;
  const recovered = await recoverApplies(home.path).catch((error: Error) => error);
  if (recovered instanceof Error) return { problem: `seed ${seed}: ${recovered.message}`, in_the_middle };
  const strangers = recovered.flatMap(({ left_alone }) => left_alone);
  if (strangers.length > 0) return { problem: `seed ${seed}: left alone ${strangers.join()}`, in_the_middle };
  const now = await picture(repo.path);
  if (!(await outside.isUntouched()))
    return { problem: `seed ${seed}: a file outside the tree was changed`, in_the_middle };
  const whole = now === before || now === after;
  return { problem: whole ? null : `seed ${seed}: neither the old nor the new tree`, in_the_middle };
}

/** What the tree must look like when all of the patch is in it: found out by applying it once and undoing that. */
async function pictureOfApplied(isolation: Isolation, source: string, home: string): Promise<string> {
  const { undoApply } = await import('@amplifier/workspace');
  const applied = await applyPatch(await isolation.patch({ includeIgnored: true }), { home });
  if (applied.status !== 'applied') throw new Error(JSON.stringify(applied.conflicts));
  const after = await picture(source);
  await undoApply(applied.apply_id, { home });
  return after;
}
