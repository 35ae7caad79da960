/** Money is kept as a decimal string: a binary float would lose a little with every addition. */
const DECIMAL = /^-?\d{1,40}(\.\d{1,40})?$/;

export function isDecimal(text: string): boolean {
  return DECIMAL.test(text);
}

/** Exact `a + b`, without trailing zeros after the point. */
export function addDecimals(a: string, b: string): string {
  const places = Math.max(decimalPlaces(a), decimalPlaces(b));
  return fromScaled(toScaled(a, places) + toScaled(b, places), places);
}

/** Negative when `a < b`, zero when equal, positive when `a > b`. */
export function compareDecimals(a: string, b: string): number {
  const places = Math.max(decimalPlaces(a), decimalPlaces(b));
  const difference = toScaled(a, places) - toScaled(b, places);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function decimalPlaces(text: string): number {
  if (!isDecimal(text))
    throw new TypeError(`Not a decimal number: ${JSON.stringify(text)}. Write it like "0.0125".`);
  const point = text.indexOf('.');
  return point === -1 ? 0 : text.length - point - 1;
}

function toScaled(text: string, places: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(places, '0'));
}

function fromScaled(scaled: bigint, places: number): string {
  const sign = scaled < 0n ? '-' : '';
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`;
}
