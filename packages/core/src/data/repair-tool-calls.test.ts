import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  openToolCalls,
  repairToolCalls,
  type SaidMessage,
  toolCallsOf,
  toolResultsOf,
} from './repair-tool-calls.js';

const call = (...ids: string[]): SaidMessage => ({
  role: 'assistant',
  content: '',
  tool_calls: ids.map((id) => ({ id, tool: 't', arguments: {} })),
});
const block = (type: string, id: string): SaidMessage => ({
  role: 'assistant',
  content: [{ type, id, name: 'b', input: {} } as never],
});
const result = (tool_call_id: string): SaidMessage => ({ role: 'tool', content: 'ok', tool_call_id });
const user: SaidMessage = { role: 'user', content: 'next' };

describe('repairing tool calls', () => {
  it('sees calls in every spelling', () => {
    expect(
      openToolCalls([call('a'), block('tool_call', 'b'), block('tool_use', 'c')]).map(({ id }) => id),
    ).toEqual(['a', 'b', 'c']);
    const answered = { type: 'tool_result', tool_use_id: 'c', output: 1 } as never;
    const answer: SaidMessage = { role: 'user', content: [answered] };
    expect(openToolCalls([block('tool_use', 'c'), answer])).toEqual([]);
  });

  it('puts a missing result right after its call and closes the turn before the user speaks', () => {
    const roles = repairToolCalls([user, call('a'), user]).map(({ role }) => role);
    expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
  });

  it('moves a result that stands elsewhere and drops one that answers nothing', () => {
    const repaired = repairToolCalls([user, call('a'), user, result('a'), result('stray')]);
    expect(repaired.map(({ role, tool_call_id }) => tool_call_id ?? role)).toEqual([
      'user',
      'assistant',
      'a',
      'user',
    ]);
  });

  it('leaves nothing open, keeps every call, and changes nothing the second time', () => {
    const messages = fc.array(
      fc.oneof(
        fc.constant(user),
        fc
          .uniqueArray(fc.integer({ min: 0, max: 9 }), { maxLength: 3 })
          .map((ids) => call(...ids.map(String))),
        fc.integer({ min: 0, max: 12 }).map((id) => result(String(id))),
      ),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(messages, (all) => {
        const seen = new Set<string>();
        // Call ids are unique in a conversation.
        const conversation = all.filter((message) => {
          const ids = toolCallsOf(message).map(({ id }) => id);
          if (ids.some((id) => seen.has(id))) return false;
          for (const id of ids) seen.add(id);
          return true;
        });
        const repaired = repairToolCalls(conversation);
        expect(openToolCalls(repaired)).toEqual([]);
        expect(repaired.flatMap(toolCallsOf)).toEqual(conversation.flatMap(toolCallsOf));
        expect(repaired.flatMap(toolResultsOf).sort()).toEqual([...seen].sort());
        expect(repairToolCalls(repaired)).toEqual(repaired);
      }),
    );
  });
});
