import { readTranscript } from '../api/calls.js';
import { Shown, useLoaded } from '../ui/load.js';
import { partsOf, type ToolCall } from './read-message.js';
import { ToolInput } from './tool-detail.js';

/** A call that waits is among the last messages of its session. */
const TAIL = 10;

/** The call that is done if the answer is yes, whole. `call` is given where the transcript does not have it as it would be run. */
export function AskedCall({
  session_id,
  tool_call_id,
  call,
}: {
  session_id: string;
  tool_call_id: string;
  call: ToolCall | null;
}) {
  const [loaded] = useLoaded(
    async () => call ?? { found: await callOf(session_id, tool_call_id) },
    [session_id, tool_call_id],
  );
  return (
    <div class="asked-call">
      <Shown of={loaded} rows={2}>
        {(value) => {
          const shown = 'found' in value ? value.found : value;
          return shown ? <ToolInput exact call={shown} /> : <p class="problem">✕ {MISSING}</p>;
        }}
      </Shown>
    </div>
  );
}

const MISSING = 'The call is not among the last messages of its session. Open the session before you answer.';

async function callOf(session_id: string, tool_call_id: string): Promise<ToolCall | null> {
  const { messages } = await readTranscript(session_id, { limit: TAIL });
  for (const message of messages.reverse())
    for (const part of partsOf(message))
      if (part.kind === 'call' && part.call.id === tool_call_id) return part.call;
  return null;
}
