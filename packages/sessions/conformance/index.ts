import type { ConformanceCase } from './conformance-case.js';
import type { StoreHarness } from './store-harness.js';
import { storeMailboxCases } from './store-mailbox.js';
import { storeReadingCases } from './store-reading.js';
import { storeWritingCases } from './store-writing.js';

export type { ConformanceCase } from './conformance-case.js';
export { damageDocument } from './damage-document.js';
export { type QueueHarness, runQueueConformance } from './queue-cases.js';
export type { StoreHarness } from './store-harness.js';

/** What every session store must do. Free of any test framework. */
export const sessionStoreConformance: readonly ConformanceCase<StoreHarness>[] = [
  ...storeWritingCases,
  ...storeReadingCases,
  ...storeMailboxCases,
];
