import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { colors, control, screenText } from './screen.js';

it('lets through what this program wrote, and nothing that only looks like it', () => {
  const { bold, red } = colors(true);
  const text = `${bold(`a ${red('b')}`)}${control('[2A')}\u001b[31mc\u001b]52;c;eA==\u0007`;
  expect(screenText(text)).toBe('\u001b[1ma \u001b[31mb\u001b[39m\u001b[22m\u001b[2A␛[31mc␛]52;c;eA==␇');
  expect(screenText(colors(false).bold('plain'))).toBe('plain');
});

it('is the only way to the terminal', () => {
  const source = join(import.meta.dirname, '..');
  const others = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('screen.ts'))
    .filter((file) =>
      /std(out|err)\.write|console\.|\\x1b|\\u001b/.test(readFileSync(join(source, file), 'utf8')),
    );
  // The version needs nothing but its own file, and says nothing that came from elsewhere.
  // A choice by arrows knows what their keys send.
  // Talk mode draws its screen itself, from lines that were made safe before they get there.
  expect(others.sort()).toEqual([
    'main.ts',
    'talk/notify.ts',
    'talk/rich/bottom-region.ts',
    'talk/rich/keyboard.ts',
    'talk/rich/theme.ts',
    'terminal/choose-option.ts',
  ]);
});
