import { describe, expect, it } from 'vitest';
import { expectNamedTests, readPage, tableRows } from './named-tests.js';

const rows = tableRows(await readPage('docs/security.md'), '(?:threat|loop)');

describe('docs/security.md', () => {
  it.each(rows)('names tests that are there: %s', expectNamedTests);

  it('has many of them', () => expect(rows.length).toBeGreaterThan(40));
});
