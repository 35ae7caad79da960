/** Every event and message of every session. */
export const TOPIC_FEED = 'feed';
/** Every change to the queue of runs. */
export const TOPIC_RUNS = 'runs';
/** A run of a kind may be claimable; without a kind, a run of any. */
export const claimableTopic = (kind = '') => `claimable ${kind}`;
/** What becomes of one run. */
export const runTopic = (run_id: string) => `run ${run_id}`;
/** Mail to a session. What a session itself is about goes by its id. */
export const mailTopic = (session_id: string) => `mail ${session_id}`;
/** Which children a session has. */
export const childrenTopic = (session_id: string) => `children ${session_id}`;
/** What all share that is of one kind. */
export const shelfTopic = (kind: string) => `shelf ${kind}`;
