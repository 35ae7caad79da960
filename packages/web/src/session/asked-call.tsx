import { readTranscript } from '../api/calls.js';
import { useLoaded } from '../ui/load.js';
import { partsOf, type ToolCall } from './read-message.js';
import { ToolInput } from './tool-detail.js';

/** A call that waits is among the last messages of its session. */
const TAIL = 10;

/** What would be done if the answer is yes: the change, the command, the task. */
export function AskedCall({ session_id, tool_call_id }: { session_id: string; tool_call_id: string }) {
  const [call] = useLoaded(() => callOf(session_id, tool_call_id), [session_id, tool_call_id]);
  return call.value ? (
    <div class="asked-call">
      <ToolInput call={call.value} />
    </div>
  ) : null;
}

async function callOf(session_id: string, tool_call_id: string): Promise<ToolCall | null> {
  const { messages } = await readTranscript(session_id, { limit: TAIL });
  for (const message of messages.reverse())
    for (const part of partsOf(message))
      if (part.kind === 'call' && part.call.id === tool_call_id) return part.call;
  return null;
}
