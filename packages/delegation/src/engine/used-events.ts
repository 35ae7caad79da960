import { EVENTS } from '@amplifier/core';
import { isKept } from './turn-journal.js';

/** What an attempt goes by, beside what its journal keeps. */
const LISTENED = new Set<string>([
  EVENTS.PROVIDER_REQUEST,
  EVENTS.PROVIDER_RESPONSE,
  EVENTS.PROVIDER_FALLBACK,
  EVENTS.CONTENT_BLOCK_DELTA,
  EVENTS.THINKING_DELTA,
  EVENTS.ORCHESTRATOR_COMPLETE,
]);

/** Does the engine itself use events of this name, whoever else looks on? */
export function isUsed(name: string): boolean {
  return LISTENED.has(name) || isKept(name);
}
