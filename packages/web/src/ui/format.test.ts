import { expect, it } from 'vitest';
import { duration, money, plain, shortModel, spent, tokens } from './format.js';

it('writes figures the way people read them, and unknown as unknown', () => {
  expect([duration(950), duration(61_000), duration(3 * 3_600_000)]).toEqual([
    '0.9 s',
    '1 m 01 s',
    '3 h 00 m',
  ]);
  expect([tokens(999), tokens(1_500), tokens(2_500_000)]).toEqual(['999', '1.5 k', '2.5 M']);
  expect([money(null), money('0'), money('0.0042'), money('12.5')]).toEqual([
    'unknown',
    '$0',
    '$0.0042',
    '$12.50',
  ]);
  expect([spent({ tokens: 0, cost_usd: null }), spent({ tokens: 1, cost_usd: null })]).toEqual([
    '$0',
    'cost unknown',
  ]);
});

it('spells out characters that turn the direction of writing', () => {
  expect(plain('user\u202Etxt.exe')).toBe('user[U+202E]txt.exe');
});

it('shortens the name of a model where the whole stands elsewhere', () => {
  expect(['anthropic/claude-opus-4-5-20251101', 'gpt-5.2', 'models/gemini-3-pro'].map(shortModel)).toEqual([
    'opus-4-5',
    'gpt-5.2',
    'gemini-3-pro',
  ]);
});
