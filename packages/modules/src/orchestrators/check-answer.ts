import {
  boundsFault,
  type ChatResponse,
  isPlainObject,
  type JsonObject,
  MAX_ANSWER_CHARACTERS,
  MAX_DATA_DEPTH,
  StreamError,
  shorten,
  type ToolCall,
  textOf,
} from '@amplifier/core';
import { MAX_ARGUMENTS_SIZE } from '../defaults.js';

/** Room for the words that say that something was cut. */
const NOTE_CHARACTERS = 1_000;

/** Levels of an answer that its arguments lie in. */
const AROUND_ARGUMENTS = 4;

/**
 * An answer whose calls hooks, tools and the log can walk. Arguments out of bounds are dropped, so that the model can be told and
 * the other calls still run; anything else out of bounds is no answer.
 */
export function boundAnswer(provider: string, response: ChatResponse): ChatResponse {
  const faults = new Map<unknown, string>();
  for (const { arguments: input } of response.tool_calls ?? []) check(input, faults);
  for (const block of response.content) if (block.type === 'tool_call') check(block.input, faults);
  const bounded = faults.size === 0 ? response : withoutArguments(response, faults);
  const fault = boundsFault(bounded, {
    depth: MAX_DATA_DEPTH + AROUND_ARGUMENTS,
    size: Number.POSITIVE_INFINITY,
    members: Number.POSITIVE_INFINITY,
  });
  if (fault === null) return withinLength(bounded);
  throw new StreamError(`The answer of ${provider} was not taken: ${fault}.`, { provider });
}

/** Providers of ours cut while they read; this holds for all others. */
function withinLength(response: ChatResponse): ChatResponse {
  if (textOf(response.content).length <= MAX_ANSWER_CHARACTERS + NOTE_CHARACTERS) return response;
  let left = MAX_ANSWER_CHARACTERS;
  const content = response.content.map((block) => {
    if (block.type !== 'text') return block;
    const text = shorten(block.text, left, '\n\n[The answer was cut here.]');
    left = Math.max(0, left - block.text.length);
    return { ...block, text };
  });
  return { ...response, content };
}

function check(input: unknown, faults: Map<unknown, string>): void {
  const fault = boundsFault(input, { size: MAX_ARGUMENTS_SIZE });
  if (fault !== null) faults.set(input, fault);
}

function withoutArguments(response: ChatResponse, faults: ReadonlyMap<unknown, string>): ChatResponse {
  const reported = response.metadata?.invalid_tool_calls;
  const dropped = (response.tool_calls ?? []).filter((call) => faults.has(call.arguments));
  return {
    ...response,
    metadata: {
      ...response.metadata,
      invalid_tool_calls: [
        ...(Array.isArray(reported) ? reported.filter(isPlainObject) : []),
        ...dropped.map((call) => ({ id: call.id, fault: faults.get(call.arguments) })),
      ],
    },
    ...(response.tool_calls
      ? {
          tool_calls: response.tool_calls.map((call) =>
            faults.has(call.arguments) ? { ...call, arguments: {} } : call,
          ),
        }
      : {}),
    content: response.content.map((block) =>
      block.type === 'tool_call' && faults.has(block.input) ? { ...block, input: {} } : block,
    ),
  };
}

/** Some models count their calls anew in each answer, or give none an id. Each gets one that no other call has; `taken` learns it. */
export function withUniqueCallIds(response: ChatResponse, taken: Set<string>): ChatResponse {
  const calls = response.tool_calls ?? [];
  if (calls.length === 0) return response;
  const ids = uniqueIds(calls, taken);
  if (calls.every((call, index) => call.id === ids[index])) return response;
  let next = 0;
  const renamed = renameInvalid(response, ids);
  return {
    ...response,
    ...(renamed ? { metadata: { ...response.metadata, invalid_tool_calls: renamed } } : {}),
    tool_calls: calls.map((call, index) => ({ ...call, id: ids[index] ?? call.id })),
    content: response.content.map((block) =>
      block.type === 'tool_call' ? { ...block, id: ids[next++] ?? block.id } : block,
    ),
  };
}

/** What the provider says of calls it could not read goes by their ids. */
function renameInvalid(
  { metadata, tool_calls = [] }: ChatResponse,
  ids: readonly string[],
): JsonObject[] | null {
  if (!Array.isArray(metadata?.invalid_tool_calls)) return null;
  const reported = metadata.invalid_tool_calls.filter(isPlainObject);
  return tool_calls.flatMap((call, index) => {
    const at = reported.findIndex((entry) => entry.id === call.id);
    return at === -1 ? [] : reported.splice(at, 1).map((entry) => ({ ...entry, id: ids[index] }));
  });
}

function uniqueIds(calls: readonly ToolCall[], taken: Set<string>): string[] {
  return calls.map(({ id }, index) => {
    const base = id === '' ? `call_${index + 1}` : id;
    let unique = base;
    for (let copy = 2; taken.has(unique); copy++) unique = `${base}_${copy}`;
    taken.add(unique);
    return unique;
  });
}
