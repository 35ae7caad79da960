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
  const { command } = call.input;
  if (typeof command === 'string') return <Terminal command={command} result={result} answered={answered} />;
  return (
    <>
      <ToolInput call={call} />
      <Output result={result} answered={answered} />
    </>
  );
}

/** An edit is a diff, a command is a terminal, a delegation is its instruction; all else is as it was given. */
export function ToolInput({ call: { input } }: { call: ToolCall }) {
  const path = String(input.file_path ?? '');
  if (typeof input.command === 'string') return <Prompt command={input.command} />;
  if (typeof input.old_string === 'string' || Array.isArray(input.edits))
    return <Diff edits={editsIn(input)} path={path} />;
  if (typeof input.content === 'string' && path !== '')
    return <Diff edits={[{ old: '', new: input.content }]} path={path} />;
  if (typeof input.instruction === 'string')
    return (
      <>
        <h2>Instruction</h2>
        <LongText text={input.instruction} />
        <Options input={input} />
      </>
    );
  return (
    <>
      <h2>Input</h2>
      <LongText mono text={JSON.stringify(input, null, 2)} />
    </>
  );
}

function Prompt({ command }: { command: string }) {
  return <pre class="plain prompt">$ {plain(command)}</pre>;
}

function editsIn(input: Record<string, unknown>): { old: string; new: string }[] {
  const edits = Array.isArray(input.edits) ? input.edits : [input];
  return edits.map((edit: Record<string, unknown>) => ({
    old: String(edit.old_string ?? ''),
    new: String(edit.new_string ?? ''),
  }));
}

function Options({ input }: { input: Record<string, unknown> }) {
  const rest = Object.entries(input).filter(([name]) => name !== 'instruction' && name !== 'agent');
  if (rest.length === 0) return null;
  return (
    <p class="dim">
      {rest
        .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join(' · ')}
    </p>
  );
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

function Terminal({ command, result, answered }: { command: string; result: unknown; answered: boolean }) {
  const said = (result ?? {}) as Record<string, unknown>;
  const out =
    typeof result === 'string'
      ? result
      : [said.stdout, said.stderr, said.output].filter((x) => typeof x === 'string').join('\n');
  const code = said.returncode ?? said.exit_code;
  return (
    <div class="terminal">
      <Prompt command={command} />
      {answered ? <LongText mono text={out || words(result)} /> : <p class="dim">Running…</p>}
      {typeof code === 'number' ? <p class={code === 0 ? 'dim' : 'failed'}>exit code {code}</p> : null}
    </div>
  );
}
