import { describe, expect, it } from 'vitest';
import { countTurns, sliceToTurn } from './slice-turns.js';

const roles = ['system', 'user', 'assistant', 'tool', 'user', 'assistant', 'user'] as const;
const messages = roles.map((role) => ({ role }));

describe('turns', () => {
  it('begin with a user message and end before the next', () => {
    expect(countTurns(messages)).toBe(3);
    expect(sliceToTurn(messages, 1)).toHaveLength(4);
    expect(sliceToTurn(messages, 2)).toHaveLength(6);
    expect(sliceToTurn(messages, 3)).toHaveLength(7);
  });

  it.each([0, -1, 4, 1.5, Number.NaN])('has no turn %s', (turn) => {
    expect(() => sliceToTurn(messages, turn)).toThrow(/There is no turn/);
  });

  it('says so when there is no turn at all', () => {
    expect(() => sliceToTurn([{ role: 'system' }], 1)).toThrow(/has no turn yet/);
  });
});
