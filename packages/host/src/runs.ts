export { LogPool } from './runs/log-pool.js';
export type { RunPolicy } from './runs/perform-run.js';
export {
  endingOf,
  isOpen,
  isOwn,
  newRunId,
  orderOf,
  RUN_ENDED,
  RUN_EVENTS,
  RUN_KIND,
  type RunEnding,
  type RunOrder,
  stateOf,
} from './runs/run-record.js';
export { newestRuns, RunRefusal } from './runs/run-service.js';
export { SessionRuns } from './runs/session-runs.js';
