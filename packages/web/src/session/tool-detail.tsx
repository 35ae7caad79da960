import type { ComponentChildren } from 'preact';
import { CopyButton } from '../ui/copy-button.js';
import { plain } from '../ui/format.js';
import { LongText } from '../ui/long-text.js';
import { Diff } from './diff.js';
import type { ToolCall } from './read-message.js';

/** What went in and what came out of a call. */
export function ToolDetail({
  call,
  result,
  answered,
}: {
  call: ToolCall;
  result: unknown;
  answered: boolean;
}) {
  if (call.name === 'bash' && typeof call.input.command === 'string')
    return <Terminal call={call} command={call.input.command} result={result} answered={answered} />;
  return (
    <>
      <ToolInput call={call} />
      <Output result={result} answered={answered} />
    </>
  );
}

/** By the tool, never by the members a call happens to have. What the drawing of a tool does not show is shown as it was given. */
export function ToolInput({ call, exact = false }: { call: ToolCall; exact?: boolean }) {
  const { drawing, drawn } = draw(call, exact);
  return (
    <>
      {drawing}
      <OtherMembers input={call.input} drawn={drawn} />
    </>
  );
}

/** `exact`: text as it is written, where Markdown could hide some of it. */
function draw({ name, input }: ToolCall, exact: boolean): { drawing: ComponentChildren; drawn: string[] } {
  const path = String(input.file_path ?? '');
  const edits = name === 'multi_edit' ? input.edits : [input];
  if (name === 'bash' && typeof input.command === 'string')
    return { drawing: <Prompt command={input.command} />, drawn: ['command'] };
  if (name === 'write_file' && typeof input.content === 'string')
    return {
      drawing: <Diff edits={[{ old: '', new: input.content }]} path={path} />,
      drawn: ['file_path', 'content'],
    };
  if ((name === 'edit_file' || name === 'multi_edit') && areEdits(edits)) {
    const drawing = (
      <Diff edits={edits.map((edit) => ({ old: edit.old_string, new: edit.new_string }))} path={path} />
    );
    return {
      drawing,
      drawn: ['file_path', 'old_string', 'new_string', ...(isPlain(edits) ? ['edits'] : [])],
    };
  }
  if ((name === 'delegate' || name === 'task') && typeof input.instruction === 'string')
    return {
      drawing: (
        <>
          <h2>Instruction</h2>
          <LongText mono={exact} text={input.instruction} />
        </>
      ),
      drawn: ['instruction'],
    };
  return { drawing: null, drawn: [] };
}

interface Edit {
  old_string: string;
  new_string: string;
}

function areEdits(value: unknown): value is Edit[] {
  return (
    Array.isArray(value) &&
    value.every((edit) => typeof edit?.old_string === 'string' && typeof edit?.new_string === 'string')
  );
}

/** Is there nothing in the edits but what is drawn of them? */
function isPlain(edits: readonly Edit[]): boolean {
  return edits.every((edit) =>
    Object.keys(edit).every((name) => name === 'old_string' || name === 'new_string'),
  );
}

function OtherMembers({ input, drawn }: { input: Record<string, unknown>; drawn: readonly string[] }) {
  const rest = Object.entries(input).filter(([name]) => !drawn.includes(name));
  if (rest.length === 0) return null;
  return (
    <>
      <h2>{drawn.length === 0 ? 'Input' : 'Also'}</h2>
      <LongText mono text={JSON.stringify(Object.fromEntries(rest), null, 2)} />
    </>
  );
}

function Prompt({ command }: { command: string }) {
  return <pre class="plain prompt">$ {plain(command)}</pre>;
}

function Output({ result, answered }: { result: unknown; answered: boolean }) {
  if (!answered) return <p class="dim">No answer yet.</p>;
  const text = words(result);
  const isProse = result !== null && typeof result === 'object' && 'response' in result;
  return (
    <>
      <h2>
        Output <CopyButton text={() => text} label="Copy the output" />
      </h2>
      {text === '' ? <p class="dim">(empty)</p> : <LongText mono={!isProse} text={text} />}
    </>
  );
}

/** The part of a result that was written to be read; else all of it. */
function words(result: unknown): string {
  if (typeof result === 'string') return result;
  const { response, content, output, text } = (result ?? {}) as Record<string, unknown>;
  for (const value of [response, content, output, text]) if (typeof value === 'string') return value;
  return JSON.stringify(result, null, 2) ?? '';
}

function Terminal({
  call,
  command,
  result,
  answered,
}: {
  call: ToolCall;
  command: string;
  result: unknown;
  answered: boolean;
}) {
  const said = (result ?? {}) as Record<string, unknown>;
  const out =
    typeof result === 'string'
      ? result
      : [said.stdout, said.stderr, said.output].filter((x) => typeof x === 'string').join('\n');
  const code = said.returncode ?? said.exit_code;
  return (
    <div class="terminal">
      <Prompt command={command} />
      <OtherMembers input={call.input} drawn={['command']} />
      {answered ? <LongText mono text={out || words(result)} /> : <p class="dim">Running…</p>}
      {typeof code === 'number' ? <p class={code === 0 ? 'dim' : 'failed'}>exit code {code}</p> : null}
    </div>
  );
}
