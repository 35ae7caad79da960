import { addDecimals, NO_USAGE, type Usage } from '@amplifier/core';
import type { AcpError } from '../acp-error.js';
import type { ReexecutionSafety } from '../error-codes.js';
import { ENGINE_PREFIX } from '../roster/agent-catalog.js';
import { AgentDescriptor } from '../roster/descriptor.js';

/** Everything known when an attempt is over. */
export interface AttemptEnd {
  agent: AgentDescriptor;
  error: AcpError | null;
  stop_reason: string | null;
  text: string;
  usage: Usage;
  /** The agent told the tokens of its last model call alone, and there were others. */
  usage_partial: boolean;
  /** Cumulative in the agent's session, in US dollars. */
  session_cost: number | null;
  model: string | null;
  model_confirmed: boolean;
  effort_applied: string | null;
  agent_session_id: string | null;
  /** How the agent got the conversation; `new` if there was none. */
  opened: 'new' | 'resumed' | 'loaded' | 'retold' | null;
  agent_version: string | null;
  refused: string[];
  reexecution: ReexecutionSafety;
  prompts: number;
  /** Tool calls that had no end when the turn had one. */
  unfinished_calls: number;
  warnings: string[];
  stderr: string;
}

/** The end of an attempt of which nothing is known yet. */
export function blankEnd(agent: AgentDescriptor, reexecution: ReexecutionSafety): AttemptEnd {
  return {
    agent,
    error: null,
    stop_reason: null,
    text: '',
    usage: NO_USAGE,
    usage_partial: false,
    session_cost: null,
    model: null,
    model_confirmed: false,
    effort_applied: null,
    agent_session_id: null,
    opened: null,
    agent_version: null,
    refused: [],
    reexecution,
    prompts: 0,
    unfinished_calls: 0,
    warnings: [],
    stderr: '',
  };
}

/** The end of a turn that never got as far as an agent. */
export function failedBefore(engine: string, error: AcpError | null): AttemptEnd {
  const id = engine.slice(ENGINE_PREFIX.length) || 'agent';
  const name = id.replace(/[^A-Za-z0-9_-]/g, '_');
  const agent = AgentDescriptor.parse({ id: name, display_name: id, command: [id] });
  return { ...blankEnd(agent, 'none'), error };
}

/** What a turn cost, from what the agent's whole session has cost before and after. */
export function costOfTurn(before: number | null, after: number | null): string | null {
  if (after === null) return null;
  // An agent that begins to count anew has a lower total than before.
  const spent = before !== null && after >= before ? after - before : after;
  return addDecimals(spent.toFixed(6), '0');
}
