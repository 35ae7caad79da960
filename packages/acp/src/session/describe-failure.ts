import { errorInfo, isPlainObject } from '@amplifier/core';

/** The message, with the details some agents hide behind it. */
export function describe(error: unknown): string {
  const { message } = errorInfo(error);
  const data = error instanceof Error && 'data' in error ? error.data : undefined;
  const details = isPlainObject(data) ? (data.details ?? data.message) : data;
  return typeof details === 'string' && details !== '' ? `${message}: ${details}` : message;
}
