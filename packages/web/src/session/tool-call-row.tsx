import { toolSubject } from '@amplifier/core/browser';
import { stateOf, wordOf } from '../live/state-of.js';
import { rollUp } from '../live/tree.js';
import { sessionPath } from '../route/route.js';
import { Elapsed } from '../ui/elapsed.js';
import { Expandable } from '../ui/expandable.js';
import { plain, spent, tokens } from '../ui/format.js';
import { StatusMark } from '../ui/status-mark.js';
import { currentRoom } from './current-room.js';
import { readResult, type ToolCall } from './read-message.js';
import { ToolDetail } from './tool-detail.js';

/** A call of a tool as one line that opens to what went in and what came out. */
export function ToolCallRow({
  call,
  result,
  answered,
}: {
  call: ToolCall;
  result: unknown;
  answered: boolean;
}) {
  const value = answered ? readResult(result) : undefined;
  const failed = answered && isFailure(value);
  const state = !answered ? 'running' : failed ? 'failed' : 'done';
  return (
    <Expandable
      class="call"
      beside={call.name === 'delegate' || call.name === 'task' ? <ChildCard callId={call.id} /> : null}
      head={
        <>
          <StatusMark state={state} word={state} />
          <code class="tool-name">{plain(call.name)}</code>
          <span class="about dim">{plain(toolSubject(call.name, call.input))}</span>
        </>
      }
    >
      {() => <ToolDetail call={call} result={value} answered={answered} />}
    </Expandable>
  );
}

function isFailure(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  const { success, error, returncode, exit_code, status } = value as Record<string, unknown>;
  if (success === false || (error !== undefined && error !== null)) return true;
  if (typeof status === 'string' && /^(failed|denied|refused|stalled|cancelled|limit)$/.test(status))
    return true;
  const code = returncode ?? exit_code;
  return typeof code === 'number' && code !== 0;
}

/** The child of a delegation: its state, what it used and a link. */
function ChildCard({ callId }: { callId: string }) {
  const room = currentRoom.value;
  room?.version.value;
  const parent = room?.tree?.nodes.get(room.selected.value);
  const child = parent?.children.find(({ tool_call_id }) => tool_call_id === callId);
  if (!child) return null;
  const sum = rollUp(child);
  const state = stateOf(child);
  return (
    <span class="child-card">
      <StatusMark state={state} />
      <span class="dim">
        {wordOf(child)} · <Elapsed from={child.started_at} to={child.ended_at} /> · {tokens(sum.tokens)}{' '}
        tokens · {spent(sum)}
      </span>
      <a href={sessionPath(child.session_id)}>Open {plain(child.agent ?? 'child')}</a>
    </span>
  );
}
