import { describe, expect, it } from 'vitest';
import { expectNamedTests, readPage, tableRows } from './named-tests.js';

const [, shown = ''] = (await readPage('docs/acp.md')).split('## Guarantees and their tests');
const rows = tableRows(shown, 'guarantee');

describe('docs/acp.md', () => {
  it.each(rows)('names tests that are there: %s', expectNamedTests);

  it('has one for each guarantee', () => expect(rows.length).toBeGreaterThan(35));
});
