import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { textOf } from '@amplifier/core';
import type { TranscriptLine } from '@amplifier/sessions';

/** A stored conversation as an editor gets to see it again. */
export function replayTranscript(lines: readonly TranscriptLine[]): SessionUpdate[] {
  const results = new Map(lines.flatMap((line) => (line.tool_call_id ? [[line.tool_call_id, line]] : [])));
  return lines.flatMap((line): SessionUpdate[] => {
    const text = textOf(line.content);
    const content = { type: 'text' as const, text };
    if (line.role === 'user') return [{ sessionUpdate: 'user_message_chunk', content }];
    if (line.role !== 'assistant') return [];
    const said: SessionUpdate[] = text === '' ? [] : [{ sessionUpdate: 'agent_message_chunk', content }];
    const calls = (line.tool_calls ?? []).map(({ id, tool, arguments: input }): SessionUpdate => {
      const result = results.get(id);
      return {
        sessionUpdate: 'tool_call',
        toolCallId: id,
        title: tool,
        status: 'completed',
        rawInput: input,
        ...(result
          ? { content: [{ type: 'content', content: { type: 'text', text: textOf(result.content) } }] }
          : {}),
      };
    });
    return [...said, ...calls];
  });
}
