import { isWithin, realPathOf } from '@amplifier/host';

/** Tells whether a proposal is for a folder or one around or below it; null is for every one. */
export async function isOfFolder(folder: string | null): Promise<(target: string) => boolean> {
  if (folder === null) return () => true;
  const real = await realPathOf(folder).catch(() => folder);
  return (target) => isWithin(real, target) || isWithin(target, real);
}
