import { redactSecrets } from '@amplifier/core';
import { RECORD_EVENTS, type SessionLog, type SessionStore } from '@amplifier/sessions';
import { instructionMessage } from '../instruction-message.js';
import type { PlannedTurn } from '../turn.js';

/** Puts the child into the record, whole or not at all: record, plan, instruction. Nothing has run when this resolves. */
export function createChild(
  store: SessionStore,
  {
    launch,
    instruction,
    attached,
    overlay,
  }: Pick<PlannedTurn, 'launch' | 'instruction' | 'attached' | 'overlay'>,
  {
    bundle,
    isActive = false,
    parent_epoch,
  }: { bundle?: string | undefined; isActive?: boolean; parent_epoch?: number | undefined } = {},
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
  } = launch;
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
      config: launch.plan,
      agent_overlay: redactSecrets(overlay),
      extra: { turn: instruction === '' ? 0 : 1 },
    },
    {
      parent_epoch,
      documents: { launch: { ...launch }, ...(bundle === undefined ? {} : { bundle }) },
      ...(instruction === '' ? {} : { messages: [instructionMessage(instruction, attached)] }),
      ...(isActive ? { events: [{ name: RECORD_EVENTS.STATUS, data: { status: 'active' } }] } : {}),
    },
  );
}
