import type { ChatResponse } from '@amplifier/core';

/** Some models give two calls of one answer the same id, or none. Results are matched by id, so each gets its own. */
export function withUniqueCallIds(response: ChatResponse): ChatResponse {
  const calls = response.tool_calls ?? [];
  const ids = uniqueIds(calls.map((call) => call.id));
  if (calls.every((call, index) => call.id === ids[index])) return response;
  let next = 0;
  return {
    ...response,
    tool_calls: calls.map((call, index) => ({ ...call, id: ids[index] ?? call.id })),
    content: response.content.map((block) =>
      block.type === 'tool_call' ? { ...block, id: ids[next++] ?? block.id } : block,
    ),
  };
}

function uniqueIds(ids: readonly string[]): string[] {
  const taken = new Set<string>();
  return ids.map((id, index) => {
    const base = id === '' ? `call_${index + 1}` : id;
    let unique = base;
    for (let copy = 2; taken.has(unique); copy++) unique = `${base}_${copy}`;
    taken.add(unique);
    return unique;
  });
}
