import type { NewMessage } from './records.js';
import { SessionError } from './session-error.js';

/** A turn is a user message and everything up to the next one. */
export function countTurns(messages: readonly Pick<NewMessage, 'role'>[]): number {
  return messages.filter(({ role }) => role === 'user').length;
}

/** Everything up to the end of turn `turn`, counted from 1. */
export function sliceToTurn<M extends Pick<NewMessage, 'role'>>(messages: readonly M[], turn: number): M[] {
  checkTurn(turn, countTurns(messages));
  let seen = 0;
  const end = messages.findIndex(({ role }) => role === 'user' && ++seen > turn);
  return end < 0 ? [...messages] : messages.slice(0, end);
}

export function checkTurn(turn: number, turns: number): void {
  if (Number.isInteger(turn) && turn >= 1 && turn <= turns) return;
  const has = turns === 0 ? 'the conversation has no turn yet' : `the conversation has turns 1 to ${turns}`;
  throw new SessionError(`There is no turn ${turn}: ${has}.`, { code: 'TURN_NOT_FOUND' });
}
