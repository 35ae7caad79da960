import { moreCharacters, shorten } from '@amplifier/core/browser';
import { useState } from 'preact/hooks';
import { answerApproval, readTranscript } from '../api/calls.js';
import type { Approval } from '../api/types.js';
import { sessionPath } from '../route/route.js';
import { plain } from '../ui/format.js';
import { Shown, useLoaded } from '../ui/load.js';
import { attempt } from '../ui/notices.js';
import { StatusMark } from '../ui/status-mark.js';
import { partsOf, type ToolCall } from './read-message.js';
import { ToolInput } from './tool-detail.js';

type Asking = Pick<
  Approval,
  | 'approval_id'
  | 'session_id'
  | 'kind'
  | 'agent'
  | 'prompt'
  | 'options'
  | 'tool_call_id'
  | 'tool_name'
  | 'tool_input'
>;

/** Longer questions say how much of them is cut off. */
const MOST = 4_000;

/** A question or an approval, answered in place: a number key takes an option, Enter sends words. */
export function ApprovalCard({
  asking,
  onAnswered,
  isOwn,
}: {
  asking: Asking;
  onAnswered: () => () => void;
  isOwn: boolean;
}) {
  const [words, setWords] = useState('');
  const options =
    asking.options.length > 0 ? asking.options : asking.kind === 'approval' ? ['Allow once', 'Deny'] : [];
  const answer = async (choice: string | null): Promise<void> => {
    if (choice === null && words.trim() === '') return;
    const undo = onAnswered();
    const said = words.trim() === '' ? {} : { message: words.trim() };
    await attempt(
      () =>
        answerApproval(
          asking.session_id,
          asking.approval_id,
          choice === null ? { answer: words.trim() } : { answer: choice, ...said },
        ),
      undo,
    );
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target instanceof HTMLInputElement) return;
    const option = options[Number(event.key) - 1];
    if (option === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    void answer(option);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its buttons are reachable by themselves; the numbers are a shorter way
    <div class="asking" onKeyDown={onKeyDown}>
      <p class="asking-head">
        <StatusMark state="waiting" />
        <strong>{plain(asking.agent ?? 'The session')}</strong>{' '}
        {asking.kind === 'approval' ? 'asks for your approval' : 'has a question'}
        {isOwn ? null : <a href={sessionPath(asking.session_id)}>Open</a>}
      </p>
      <p class="asking-prompt" dir="auto">
        {plain(shorten(withoutIds(asking.prompt), MOST, moreCharacters))}
      </p>
      {asking.tool_call_id === null ? null : (
        <AskedCall
          session_id={asking.session_id}
          tool_call_id={asking.tool_call_id}
          call={
            asking.tool_input && {
              id: asking.tool_call_id,
              name: asking.tool_name ?? '',
              input: asking.tool_input,
            }
          }
        />
      )}
      <div class="row">
        {options.map((option, at) => (
          <button key={option} type="button" class={at === 0 ? 'primary' : ''} onClick={() => answer(option)}>
            {plain(option)} <kbd>{at + 1}</kbd>
          </button>
        ))}
        <form
          class="asking-words"
          onSubmit={(event) => {
            event.preventDefault();
            void answer(options.length === 0 ? null : (options[0] ?? null));
          }}
        >
          <input
            type="text"
            aria-label={options.length === 0 ? 'Your answer' : 'A message with the answer'}
            placeholder={options.length === 0 ? 'Your answer' : 'Add a message (optional)'}
            value={words}
            onInput={(event) => setWords(event.currentTarget.value)}
          />
          {options.length === 0 ? (
            <button type="submit" class="primary">
              Answer
            </button>
          ) : null}
        </form>
      </div>
    </div>
  );
}

/** The card names the asking session above the question, with a link. */
function withoutIds(prompt: string): string {
  return prompt.replace(/^(?:Agent '[^']*'|The session) \([\w-]+(?:, child of [\w-]+)?\) wants/, 'It wants');
}

/** A call that waits is among the last messages of its session. */
const TAIL = 10;

/** The call that is done if the answer is yes, whole. `call` is given where the transcript does not have it as it would be run. */
function AskedCall({
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
