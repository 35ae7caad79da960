import { expect, it } from 'vitest';
import { MadeBefore } from './made-before.js';

it('what was made once is made again only of something else', () => {
  const made = new MadeBefore<object>();
  const owner = { tools: ['a'] };
  const get = () => made.get(['x', owner], () => ({}));
  const first = get();
  expect(get()).toBe(first);
  expect(made.get(['y', owner], () => ({}))).not.toBe(first);
  owner.tools.push('b');
  expect(get()).not.toBe(first);
});

it('what was not asked for since is made again', () => {
  const made = new MadeBefore<object>();
  const get = (key: number) => made.get([key], () => ({}));
  const first = get(0);
  for (let key = 1; key < 64; key++) get(key);
  expect(get(0)).toBe(first);
  for (let key = 64; key < 128; key++) get(key);
  expect(get(0)).not.toBe(first);
});
