import { addDecimals, type Usage } from '@amplifier/core';
import type { SessionMetadata } from '@amplifier/sessions';
import type { Grant, SafetyMode } from '@amplifier/workspace';
import { capsOf, type Limits, type TurnLimits } from '../metering/limits.js';
import type { LaunchRecord } from '../plan/launch-record.js';

/**
 * How a turn after the first began. Kept in one write before the instruction is, so that whoever finds the session after a
 * crash knows what was asked, by which call, and under which rights. The first turn is told by the launch record.
 */
export interface TurnStart {
  prompt: string;
  /** How many files went along with it. They are in the message itself. */
  attached?: number | undefined;
  /** Messages that were in the log before the instruction. */
  after: number;
  /** What the session itself had consumed before. */
  usage: Usage;
  /** How many children its tree had had before. Missing in turns that earlier versions began: then all of them count. */
  children?: number;
  /** Who gave the instruction; null for an entry point. */
  parent_id: string | null;
  tool_call_id: string | null;
  parallel_group_id: string | null;
  background: boolean;
  grant: Grant;
  limits: Limits;
  safety_mode: SafetyMode;
  /** Missing in turns that earlier versions began: then it is that of the launch. */
  workspace?: LaunchRecord['workspace'];
}

/** Null in the first turn. */
export function turnStartIn({ extra }: Pick<SessionMetadata, 'extra'>): TurnStart | null {
  return (extra.turn_start as TurnStart | undefined) ?? null;
}

/** The launch as the present turn runs it: whoever resumed the session may have had less to give. */
export function launchOfTurn(launch: LaunchRecord, metadata: Pick<SessionMetadata, 'extra'>): LaunchRecord {
  const start = turnStartIn(metadata);
  if (!start) return launch;
  const { grant, limits, safety_mode, workspace = launch.workspace } = start;
  return { ...launch, grant, limits, safety_mode, workspace };
}

/** The limits of a turn that an entry point began. Null in the first turn, and in one that a parent began. */
export function limitsOfTurn(
  launch: LaunchRecord,
  metadata: Pick<SessionMetadata, 'extra'>,
): TurnLimits | null {
  const start = turnStartIn(metadata);
  if (start?.parent_id !== null) return null;
  return { limits: capsOf(launchOfTurn(launch, metadata)), children_before: start.children ?? 0 };
}

/** Who waits for the present turn, and which call of theirs it answers. */
export function callOfTurn(
  launch: LaunchRecord,
  metadata: Pick<SessionMetadata, 'extra'>,
): Pick<TurnStart, 'parent_id' | 'tool_call_id' | 'parallel_group_id' | 'background'> {
  return turnStartIn(metadata) ?? launch;
}

/** What the session itself has consumed in its present turn. */
export function usageOfTurn({ usage, extra }: Pick<SessionMetadata, 'usage' | 'extra'>): Usage {
  const before = turnStartIn({ extra })?.usage;
  if (!before) return usage;
  return {
    input_tokens: usage.input_tokens - before.input_tokens,
    output_tokens: usage.output_tokens - before.output_tokens,
    total_tokens: usage.total_tokens - before.total_tokens,
    cost_usd: usage.cost_usd === null ? null : addDecimals(usage.cost_usd, `-${before.cost_usd ?? '0'}`),
  };
}
