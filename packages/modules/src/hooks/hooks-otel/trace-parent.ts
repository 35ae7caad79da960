import type { SpanContext } from '@opentelemetry/api';

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const ZEROS = /^0+$/;

/** Reads a W3C `traceparent`; null for one that is not. */
export function readTraceparent(header: string): SpanContext | null {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(header) ?? [];
  if (!traceId || !spanId || !flags || ZEROS.test(traceId) || ZEROS.test(spanId)) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
