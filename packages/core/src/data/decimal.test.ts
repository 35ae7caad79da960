import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDecimals, compareDecimals, isDecimal } from './decimal.js';

const decimals = fc
  .tuple(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), fc.integer({ min: 0, max: 12 }))
  .map(([digits, places]) => {
    const sign = digits < 0n ? '-' : '';
    const text = (digits < 0n ? -digits : digits).toString().padStart(places + 1, '0');
    return places === 0 ? sign + text : `${sign}${text.slice(0, -places)}.${text.slice(-places)}`;
  });

describe('decimal money', () => {
  it('adds without the rounding of binary floats', () => {
    expect(addDecimals('0.1', '0.2')).toBe('0.3');
    expect(addDecimals('0.000001', '12')).toBe('12.000001');
    expect(addDecimals('-1.5', '1.25')).toBe('-0.25');
  });

  it('drops trailing zeros', () => {
    expect(addDecimals('1.50', '0.50')).toBe('2');
  });

  it('adds in any order to the same sum', () => {
    fc.assert(
      fc.property(decimals, decimals, decimals, (a, b, c) => {
        expect(addDecimals(a, b)).toBe(addDecimals(b, a));
        expect(addDecimals(addDecimals(a, b), c)).toBe(addDecimals(a, addDecimals(b, c)));
      }),
    );
  });

  it('compares by value, not by text', () => {
    expect(compareDecimals('10', '9.99')).toBe(1);
    expect(compareDecimals('1.50', '1.5')).toBe(0);
    fc.assert(
      fc.property(decimals, decimals, (a, b) => {
        expect(compareDecimals(a, b)).toBe(-compareDecimals(b, a) || 0);
      }),
    );
  });

  it('refuses what is no decimal', () => {
    for (const text of ['', '1e3', '.5', '1.', 'NaN', '1,5']) {
      expect(isDecimal(text)).toBe(false);
      expect(() => addDecimals(text, '1')).toThrow(/Not a decimal number/);
    }
  });
});
