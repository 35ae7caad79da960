import { describe, expect, it } from 'vitest';
import { type GlobOptions, glob } from './glob.js';

const CASES: [pattern: string, text: string, matches: boolean, options?: GlobOptions][] = [
  ['*.ts', 'a.ts', true],
  ['*.ts', 'src/a.ts', false],
  ['**/*.ts', 'a.ts', true],
  ['**/*.ts', 'src/deep/a.ts', true],
  ['src/**', 'src/a/b', true],
  ['src/**', 'src', true],
  ['src/**/b.ts', 'src/b.ts', true],
  ['src/**/b.ts', 'src/x/y/b.ts', true],
  ['src/**/b.ts', 'srcx/b.ts', false],
  ['a?c', 'abc', true],
  ['a?c', 'a/c', false],
  ['[a-c]x', 'bx', true],
  ['[!a-c]x', 'bx', false],
  ['[^a-c]x', 'zx', true],
  ['[x', '[x', true],
  ['{a,b{c,d}}.md', 'bd.md', true],
  ['{a,b}.md', 'c.md', false],
  ['{a}.md', '{a}.md', true],
  ['\\*.md', '*.md', true],
  ['\\*.md', 'a.md', false],
  ['!*.md', 'a.ts', true],
  ['!*.md', 'a.md', false],
  ['*', '.env', false],
  ['*', '.env', true, { dot: true }],
  ['.e*', '.env', true],
  ['**', 'a/.git/x', false],
  ['**', 'a/.git/x', true, { dot: true }],
  ['git *', 'git push a/b', true, { anywhere: true }],
  ['*.example.com', 'x.y.example.com', true],
  ['Claude-*', 'claude-opus', true, { nocase: true }],
  ['', '', true],
];

describe('globs', () => {
  it.each(CASES)('%j and %j: %s', (pattern, text, matches, options) => {
    expect(glob(pattern, options)(text)).toBe(matches);
  });

  it('ask for one of several patterns', () => {
    expect(['a', 'b', 'c'].map(glob(['a', 'c']))).toEqual([true, false, true]);
  });

  it('take time by the length alone, whatever the pattern', () => {
    const pattern = `${'*a'.repeat(400)}b`;
    expect(glob(pattern)('a'.repeat(2_000))).toBe(false);
    expect(() => glob('{a,b}'.repeat(20))).toThrow('256 patterns');
    expect(() => glob('*'.repeat(2_000))).toThrow('1000 characters');
  });
});
