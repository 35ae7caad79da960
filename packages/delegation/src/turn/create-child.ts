import { type CreateOptions, RECORD_EVENTS, type SessionLog, type SessionLogs } from '@amplifier/sessions';
import { instructionMessage } from '../request/instruction.js';
import type { PlannedLaunch } from './turn.js';

export interface CreateChildOptions extends CreateOptions {
  bundle?: string | undefined;
  /** Its turn begins at once. */
  isActive?: boolean;
  parent_epoch?: number | undefined;
}

/** Puts a session into the record, whole or not at all: record, plan, instruction. Nothing has run when this resolves. */
export function createChild(
  logs: SessionLogs,
  {
    launch,
    instruction,
    attached,
    overlay,
  }: Pick<PlannedLaunch, 'launch' | 'instruction' | 'attached' | 'overlay'>,
  { bundle, isActive = false, parent_epoch, ...options }: CreateChildOptions = {},
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
  return logs.create(
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
      agent_overlay: overlay,
      extra: { turn: instruction === '' ? 0 : 1 },
    },
    {
      parent_epoch,
      documents: { launch, bundle },
      messages: instruction === '' ? [] : [instructionMessage(instruction, attached)],
      events: isActive ? [{ name: RECORD_EVENTS.STATUS, data: { status: 'active' } }] : [],
    },
    options,
  );
}
