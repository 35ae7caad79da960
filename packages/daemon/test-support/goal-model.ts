import type { FakeExchange, FakeReply } from '@amplifier/testkit';

/** What a run is to do: children all at once, then files one after the other, then say that it is done. */
export interface Task {
  name: string;
  children?: Task[];
  files?: string[];
}

interface WireMessage {
  role: string;
  content?: unknown;
  tool_call_id?: string;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
}

export function instructionOf(task: Task): string {
  return `TASK ${JSON.stringify(task)}`;
}

/**
 * A model that looks at what has been done and does what is missing, as a good one would after a crash: what a tool has
 * confirmed is not done again, what was interrupted is.
 */
export function goalModel({ body }: FakeExchange): FakeReply {
  const messages = body.messages as WireMessage[];
  const at = messages.findLastIndex(
    ({ role, content }) => role === 'user' && textOf(content).includes('TASK {'),
  );
  const task = JSON.parse(
    /TASK (\{.*\})/.exec(textOf(messages[at]?.content))?.[1] ?? '{"name":"none"}',
  ) as Task;
  const done = doneIn(messages.slice(at + 1));
  const children = (task.children ?? []).filter(({ name }) => !done.has(name));
  if (children.length > 0) {
    const calls = children.map((child) => ({
      name: 'delegate',
      arguments: { agent: 'scribe', context_depth: 'none', instruction: instructionOf(child) },
    }));
    return { tool_calls: calls };
  }
  const file = (task.files ?? []).find((name) => !done.has(name));
  if (file !== undefined)
    return { tool_calls: [{ name: 'write_file', arguments: { file_path: file, content: task.name } }] };
  return { text: `DONE ${task.name}` };
}

/** The names of the children and files that a tool has confirmed. */
function doneIn(messages: readonly WireMessage[]): Set<string> {
  const calls = new Map(
    messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => [call.id, call] as const)),
  );
  const done = new Set<string>();
  for (const { role, tool_call_id, content } of messages) {
    const call = role === 'tool' ? calls.get(tool_call_id ?? '') : undefined;
    if (!call || /interrupted|cancelled/i.test(textOf(content))) continue;
    const input = JSON.parse(call.function.arguments) as { file_path?: string; instruction?: string };
    const child = /TASK (\{.*\})/.exec(input.instruction ?? '')?.[1];
    if (child !== undefined) done.add((JSON.parse(child) as Task).name);
    else if (input.file_path !== undefined) done.add(input.file_path);
  }
  return done;
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part) => part?.text ?? '').join('\n') : '';
}
