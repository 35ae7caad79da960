import { describe, expect, it } from 'vitest';
import { expectNamedTests, readPage, tableRows } from './named-tests.js';

const [, shown = ''] = (await readPage('docs/acp.md')).split('## What is promised, and what shows it');
const rows = tableRows(shown, 'promise');

describe('docs/acp.md', () => {
  it.each(rows)('names tests that are there: %s', expectNamedTests);

  it('has one for each promise', () => expect(rows.length).toBeGreaterThan(35));
});
