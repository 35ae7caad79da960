import type { Message } from '@amplifier/core';
import { isMachineMade } from './in-scope.js';

/** Where the last `turns` turns begin. A turn is what a user said and all that follows. Fewer turns than that: everything. */
export function recentTurns(history: readonly Message[], turns: number): number {
  if (turns <= 0) return history.length;
  let seen = 0;
  for (let index = history.length - 1; index >= 0; index--) {
    const message = history[index] as Message;
    if (message.role === 'user' && !isMachineMade(message) && ++seen === turns) return index;
  }
  return 0;
}
