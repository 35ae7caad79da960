import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const BUILT = join(import.meta.dirname, '../../packages/web/dist');
const FIRST_LOAD = 80 * 1024;
const ALL = 150 * 1024;

const assets = readdirSync(join(BUILT, 'assets'));
const sizes = new Map(
  assets.map((name) => [name, gzipSync(readFileSync(join(BUILT, 'assets', name))).length]),
);

function sum(names: Iterable<string>): number {
  return [...names].reduce((total, name) => total + (sizes.get(name) ?? 0), 0);
}

it('loads at most 80 KB before any room is there, in two files, and has at most 150 KB', () => {
  const page = readFileSync(join(BUILT, 'index.html'), 'utf8');
  const [script = ''] = /app-[^"]+\.js/.exec(page) ?? [];
  const [style = ''] = /app-[^"]+\.css/.exec(page) ?? [];
  // Whatever it needs at once is in it.
  expect(/(?:from|import)"\./.test(readFileSync(join(BUILT, 'assets', script), 'utf8'))).toBe(false);
  expect(sum([script, style])).toBeLessThanOrEqual(FIRST_LOAD);
  expect(sum([script, style])).toBeGreaterThan(0);
  expect(sum(assets)).toBeLessThanOrEqual(ALL);
});

it('has no script or style in its page, and names nothing on another host', () => {
  const page = readFileSync(join(BUILT, 'index.html'), 'utf8');
  expect(page).not.toMatch(/<style|style=|<script(?![^>]*src=)|\son\w+=/);
  expect(page).not.toMatch(/https?:/);
});
