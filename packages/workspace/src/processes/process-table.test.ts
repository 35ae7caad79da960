import { expect, it, vi } from 'vitest';
import { SCAN_ROUNDS } from '../defaults.js';
import { hasProc, listProcesses } from './process-table.js';

const readings = vi.hoisted(() => ({ count: 0 }));
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const readdir = (path: string) => {
    if (path === '/proc') readings.count++;
    return real.readdir(path);
  };
  return { ...real, readdir };
});

it.runIf(hasProc())('reads the process table twice at the most for any number who ask at once', async () => {
  const all = await Promise.all(Array.from({ length: 500 }, () => listProcesses()));
  expect(readings.count).toBeLessThanOrEqual(2 * SCAN_ROUNDS);
  for (const table of all) expect(table.some(({ pid }) => pid === process.pid)).toBe(true);
});
