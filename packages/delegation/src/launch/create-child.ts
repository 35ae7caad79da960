import { redactSecrets } from '@amplifier/core';
import type { SessionLog, SessionStore } from '@amplifier/sessions';
import type { PlannedLaunch } from './build-launch-record.js';

/** Puts the child on disk, whole or not at all: record, plan, instruction. Nothing has run when this resolves. */
export function createChild(
  store: SessionStore,
  { record, prompt, overlay }: PlannedLaunch,
  bundle?: string,
): Promise<SessionLog> {
  const {
    session_id,
    parent_id,
    root_id,
    trace_id,
    depth,
    tool_call_id,
    parallel_group_id,
    workspace,
    agent,
  } = record;
  return store.create(
    {
      session_id,
      parent_id,
      root_id,
      trace_id,
      depth,
      tool_call_id,
      parallel_group_id,
      agent_name: agent.name,
      working_dir: workspace.cwd,
      config: record.plan,
      agent_overlay: redactSecrets(overlay),
      extra: { turn: prompt === '' ? 0 : 1 },
    },
    {
      documents: { launch: { ...record }, ...(bundle === undefined ? {} : { bundle }) },
      ...(prompt === ''
        ? {}
        : { messages: [{ role: 'user', content: prompt, metadata: { kind: 'instruction' } }] }),
    },
  );
}
