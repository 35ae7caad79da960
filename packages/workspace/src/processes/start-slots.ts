import { availableParallelism } from 'node:os';
import { STARTING_MS } from '../defaults.js';

let free = Math.max(2, availableParallelism());
const waiting: (() => void)[] = [];

/**
 * Resolves when the next command may be started. Starting a process blocks the event loop, and setting up its sandbox takes processor time,
 * so of many commands only as many start at once as there are processors. Call the result when the command has ended; after
 * `STARTING_MS` the next may start in any case.
 */
export async function startSlot(): Promise<() => void> {
  if (free > 0) free--;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  let isHeld = true;
  const leave = () => {
    if (!isHeld) return;
    isHeld = false;
    clearTimeout(timer);
    const next = waiting.shift();
    // In a turn of its own: two starts in one turn would block the event loop for twice as long.
    if (next) setImmediate(next);
    else free++;
  };
  const timer = setTimeout(leave, STARTING_MS).unref();
  return leave;
}
