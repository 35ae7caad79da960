import { isPlainObject } from '@amplifier/core';

/** Seconds the server asks us to wait: from `retry-after-ms`, `retry-after` (seconds or a date), or Google's RetryInfo. */
export function readRetryAfter(
  headers: Readonly<Record<string, string>>,
  body: unknown,
  now: number,
): number | null {
  const millis = Number.parseFloat(headers['retry-after-ms'] ?? '');
  if (Number.isFinite(millis)) return Math.max(0, millis / 1000);
  const header = headers['retry-after']?.trim();
  if (header) {
    if (/^\d+(\.\d+)?$/.test(header)) return Number(header);
    const date = Date.parse(header);
    if (!Number.isNaN(date)) return Math.max(0, (date - now) / 1000);
  }
  return fromDetails(body);
}

function fromDetails(body: unknown): number | null {
  const error = isPlainObject(body) && isPlainObject(body.error) ? body.error : null;
  for (const detail of Array.isArray(error?.details) ? error.details : []) {
    const delay = isPlainObject(detail) ? /^([\d.]+)s$/.exec(String(detail.retryDelay)) : null;
    if (delay) return Number(delay[1]);
  }
  return null;
}
