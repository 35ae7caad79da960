import type { LaunchRecord } from './launch-record.js';
import type { Outcome } from './outcome.js';

/** A turn that has ended, and the record it was run from. */
export interface Ended {
  outcome: Outcome;
  launch: LaunchRecord;
}

/** What a delegation leads to: an outcome, or the word that it continues in the background. */
export type Delegation = ({ kind: 'outcome' } & Ended) | { kind: 'background'; launch: LaunchRecord };
