import { type JsonObject, redactSecrets } from '@amplifier/core';

/** An event as one line of the log, without its secrets. */
export function logLine(name: string, payload: Readonly<JsonObject>): string {
  const { session_id, parent_id, timestamp: time, ...data } = payload;
  return `${JSON.stringify({ time, name, session_id, parent_id, data: redactSecrets(data) }, plain)}\n`;
}

/** Live things that strayed into an event are named instead of breaking the log. */
function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Error) return { type: value.name, message: value.message };
  return typeof value === 'function' ? '[function]' : value;
}
