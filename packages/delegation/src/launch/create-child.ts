import { redactSecrets } from '@amplifier/core';
import { RECORD_EVENTS, type SessionLog, type SessionStore } from '@amplifier/sessions';
import type { PlannedLaunch } from './build-launch-record.js';

/** Puts the child into the record, whole or not at all: record, plan, instruction. Nothing has run when this resolves. */
export function createChild(
  store: SessionStore,
  { record, prompt, overlay }: PlannedLaunch,
  { bundle, isActive = false }: { bundle?: string | undefined; isActive?: boolean } = {},
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
      ...(isActive ? { events: [{ name: RECORD_EVENTS.STATUS, data: { status: 'active' } }] } : {}),
    },
  );
}
