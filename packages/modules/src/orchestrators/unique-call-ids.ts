import { type ChatResponse, isPlainObject, type JsonObject } from '@amplifier/core';

/** Some models count their calls anew in each answer, or give none an id. Each gets one that no other call has; `taken` learns it. */
export function withUniqueCallIds(response: ChatResponse, taken: Set<string>): ChatResponse {
  const calls = response.tool_calls ?? [];
  const ids = uniqueIds(
    calls.map((call) => call.id),
    taken,
  );
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

function uniqueIds(ids: readonly string[], taken: Set<string>): string[] {
  return ids.map((id, index) => {
    const base = id === '' ? `call_${index + 1}` : id;
    let unique = base;
    for (let copy = 2; taken.has(unique); copy++) unique = `${base}_${copy}`;
    taken.add(unique);
    return unique;
  });
}
