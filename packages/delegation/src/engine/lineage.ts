import type { LaunchRecord } from '../launch-record.js';

/** Where a session hangs, as its events say to whoever watches from above. */
export function lineageOf(launch: LaunchRecord) {
  const { session_id, parent_id, root_id, depth, tool_call_id, parallel_group_id } = launch;
  return { session_id, parent_id, root_id, depth, agent: launch.agent.name, tool_call_id, parallel_group_id };
}
