import { Effort } from '../roster/descriptor.js';

const LEVELS: readonly string[] = Effort.options;

/** The offered value nearest to the wish: the wish itself, else the highest below it, else the lowest there is. */
export function clampEffort(wanted: Effort, offered: readonly string[]): string | null {
  if (offered.includes(wanted)) return wanted;
  const known = LEVELS.filter((level) => offered.includes(level));
  const below = known.filter((level) => LEVELS.indexOf(level) < LEVELS.indexOf(wanted));
  return below.at(-1) ?? known[0] ?? null;
}

/** The lower of the two. */
export function atMost(wanted: Effort, most: Effort): Effort {
  return LEVELS.indexOf(wanted) <= LEVELS.indexOf(most) ? wanted : most;
}
