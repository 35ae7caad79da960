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

/** What a script imports before it runs; what it may load later is not among it. */
function importsOf(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  const text = readFileSync(join(BUILT, 'assets', name), 'utf8');
  for (const [, from = ''] of text.matchAll(/(?:from|import)"\.\/([^"]+)"/g)) importsOf(from, found);
  return found;
}

function sum(names: Iterable<string>): number {
  return [...names].reduce((total, name) => total + (sizes.get(name) ?? 0), 0);
}

it('loads at most 80 KB before the dearest first room is there, and has at most 150 KB', () => {
  const page = readFileSync(join(BUILT, 'index.html'), 'utf8');
  const entry = /src="\/assets\/(app-[^"]+\.js)"/.exec(page)?.[1] ?? '';
  const style = /href="\/assets\/(app-[^"]+\.css)"/.exec(page)?.[1] ?? '';
  const rooms = assets.filter((name) => /-page-\w+\.js$/.test(name));
  expect(rooms.length).toBeGreaterThanOrEqual(6);
  const loads = rooms.map((room) => sum(new Set([style, ...importsOf(entry), ...importsOf(room)])));
  expect(Math.max(...loads)).toBeLessThanOrEqual(FIRST_LOAD);
  expect(sum(assets)).toBeLessThanOrEqual(ALL);
});

it('has no script or style in its page, and names nothing on another host', () => {
  for (const name of ['index.html', 'session.html']) {
    const page = readFileSync(join(BUILT, name), 'utf8');
    expect(page).not.toMatch(/<style|style=|<script(?![^>]*src=)|\son\w+=/);
    expect(page).not.toMatch(/https?:/);
  }
});

it('names in its page all that the room of the address needs, so that nothing is asked for one after the other', () => {
  for (const [name, room] of [
    ['index.html', 'now-page-'],
    ['session.html', 'session-page-'],
  ] as const) {
    const page = readFileSync(join(BUILT, name), 'utf8');
    const named = [...page.matchAll(/modulepreload" href="\/assets\/([^"]+)"/g)].map(([, file]) => file);
    const [start = ''] = assets.filter((file) => file.startsWith(room));
    expect(new Set(named)).toEqual(
      importsOf(start, importsOf(named.find((file) => file?.startsWith('app-')) ?? '')),
    );
  }
});
