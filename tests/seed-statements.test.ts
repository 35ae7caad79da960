import { expect, it } from 'vitest';
import { expectNamedTests, readPage, tableRows } from './named-tests.js';

const rows = tableRows(await readPage('docs/seed-statements.md'), 'statement');

it.each(rows)('docs/seed-statements.md names tests that are there: %s', expectNamedTests);

it('docs/seed-statements.md has many of them', () => expect(rows.length).toBeGreaterThan(15));
