import type { SessionUpdate } from '@agentclientprotocol/sdk';
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
