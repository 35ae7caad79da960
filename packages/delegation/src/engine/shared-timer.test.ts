import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SharedTimer } from './shared-timer.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('calls each once, not before its time and not after twice as long, however many wait', () => {
  const called: string[] = [];
  const later = new SharedTimer<string>(10, (item) => called.push(item));
  later.add('a');
  vi.advanceTimersByTime(9);
  later.add('b');
  later.add('c');
  later.delete('c');
  vi.advanceTimersByTime(1);
  expect(called).toEqual([]);
  vi.advanceTimersByTime(10);
  expect(called).toEqual(['a', 'b']);
  expect(vi.getTimerCount()).toBe(0);
  later.add('a');
  vi.advanceTimersByTime(20);
  expect(called).toEqual(['a', 'b', 'a']);
});
