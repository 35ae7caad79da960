/** Every event of every session. */
export const TOPIC_FEED = 'feed';

/** Every message of every session. */
export const TOPIC_MESSAGES = 'messages';

/** Every change to the queue of runs. */
export const TOPIC_RUNS = 'runs';

/** What becomes of one run. */
export function runTopic(run_id: string): string {
  return `run ${run_id}`;
}

/** Mail to a session. What a session itself is about goes by its id. */
export function mailTopic(session_id: string): string {
  return `mail ${session_id}`;
}

/** Which children a session has. */
export function childrenTopic(session_id: string): string {
  return `children ${session_id}`;
}

/** What all share that is of one kind. */
export function shelfTopic(kind: string): string {
  return `shelf ${kind}`;
}
