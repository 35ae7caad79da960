import { now } from './clock.js';
import { duration } from './format.js';

/** Time since `from`, up to `to` or until now. */
export function Elapsed({ from, to }: { from: string | null; to: string | null }) {
  if (!from) return null;
  const end = to ? Date.parse(to) : now.value;
  return <span class="num">{duration(Math.max(0, end - Date.parse(from)))}</span>;
}
