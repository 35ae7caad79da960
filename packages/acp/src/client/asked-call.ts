import type { ToolCallContent, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { isPlainObject, type JsonObject, jsonDigest } from '@amplifier/core';

/** What a person is asked about, as an editor shows it: the subject of a question. */
export interface AskedCall extends JsonObject {
  tool_call_id: string;
  tool_name: string;
  tool_input: JsonObject;
  /** Of all that the agent says of the call, but for its id. */
  digest: string;
  /** In the words of the protocol, with places as the person knows them. */
  call: Pick<ToolCallUpdate, 'kind' | 'locations' | 'content'>;
}

/** A call of an agent, with its places where the person finds them. Its id is the agent's own. */
export function askedCall(
  { toolCallId, title, kind, locations, content, rawInput }: Partial<ToolCallUpdate>,
  shown: (path: string) => string,
): AskedCall {
  const moved = <T extends { path: string }>(place: T): T => ({ ...place, path: shown(place.path) });
  const shownContent = (content ?? []).map(
    (part): ToolCallContent => (part.type === 'diff' ? moved(part) : part),
  );
  const diffs = shownContent.flatMap((part) => (part.type === 'diff' ? [{ path: part.path }] : []));
  const named = (locations ?? []).map(moved);
  const tool_name = kind ?? 'other';
  const tool_input = isPlainObject(rawInput) ? rawInput : {};
  const call = { kind: tool_name, locations: named.length > 0 ? named : diffs, content: shownContent };
  const digest = jsonDigest({ title: title ?? null, tool_name, tool_input, call });
  return { tool_call_id: String(toolCallId ?? ''), tool_name, tool_input, digest, call };
}
