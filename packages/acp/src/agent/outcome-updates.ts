import type { SessionUpdate, StopReason } from '@agentclientprotocol/sdk';
import type { JsonObject } from '@amplifier/core';
import type { Outcome } from '@amplifier/delegation';
import { diffsOfPatch } from './file-diffs.js';

/** What an outcome brings beside its text: proposals nobody applied, and what the person ought to know. */
export function outcomeUpdates({ artifacts, warnings }: Outcome, showsNotices: boolean): SessionUpdate[] {
  return [...artifacts.flatMap(proposal), ...warnings.map((text) => notice(text, showsNotices))];
}

function proposal(artifact: JsonObject): SessionUpdate[] {
  const { kind, applied, changes, diff, target, isolation_id, diff_path } = artifact;
  if (kind !== 'patch' || applied !== false || !Array.isArray(changes) || changes.length === 0) return [];
  const diffs = diffsOfPatch(String(diff ?? ''), String(target));
  const text = `Nothing of this was applied. To apply it: git -C '${String(target)}' apply '${String(diff_path)}'`;
  return [
    {
      sessionUpdate: 'tool_call',
      toolCallId: `proposal-${String(isolation_id)}`,
      title: `Proposed changes to ${changes.length} ${changes.length === 1 ? 'file' : 'files'}`,
      kind: 'edit',
      status: 'completed',
      locations: diffs.map(({ path }) => ({ path })),
      content: [...diffs, { type: 'content', content: { type: 'text', text } }],
    },
  ];
}

/** An editor that knows notices shows them apart; to any other it is said. */
function notice(text: string, showsNotices: boolean): SessionUpdate {
  if (showsNotices) return { sessionUpdate: 'notice', severity: 'warning', title: text } as SessionUpdate;
  return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `\n\nNote: ${text}` } };
}

/** How an outcome looks to an editor: a stop reason with words to show, or an error. */
type TurnEnd = { stopReason: StopReason; text: string } | { error: string; code: string };

export function turnEnd(outcome: Outcome): TurnEnd {
  switch (outcome.status) {
    case 'completed':
      return { stopReason: 'end_turn', text: outcome.text };
    case 'needs_input':
      return { stopReason: 'end_turn', text: outcome.question };
    case 'cancelled':
      return { stopReason: 'cancelled', text: '' };
    case 'refused':
      return { stopReason: 'refusal', text: outcome.partial_text };
    case 'limit':
      if (outcome.limit.kind === 'output') return { stopReason: 'max_tokens', text: outcome.partial_text };
      if (outcome.limit.kind === 'turns')
        return { stopReason: 'max_turn_requests', text: outcome.partial_text };
      return { error: outcome.error.message, code: outcome.error.code };
    default:
      return { error: outcome.error.message, code: outcome.error.code };
  }
}
