import { Expandable } from '../ui/expandable.js';
import { plain } from '../ui/format.js';
import { StatusMark } from '../ui/status-mark.js';
import { ChildCard } from './child-card.js';
import { aboutCall, readResult, type ToolCall } from './read-message.js';
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
          <span class="about dim">{plain(aboutCall(call))}</span>
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
