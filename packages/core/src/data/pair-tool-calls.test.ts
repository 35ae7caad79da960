import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openToolCalls, pairToolCalls, type SaidMessage, toolCallsOf } from './pair-tool-calls.js';

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

describe('pairing tool calls', () => {
  it('sees calls in every spelling', () => {
    expect(
      openToolCalls([call('a'), block('tool_call', 'b'), block('tool_use', 'c')]).map(({ id }) => id),
    ).toEqual(['a', 'b', 'c']);
  });

  it('takes a result out of a block of another message', () => {
    const answered = { type: 'tool_result', tool_use_id: 'c', output: { rows: 1 } } as never;
    const answer: SaidMessage = { role: 'user', content: [answered] };
    expect(openToolCalls([block('tool_use', 'c'), answer])).toEqual([]);
    expect(pairToolCalls([block('tool_use', 'c'), answer])).toEqual([
      [
        block('tool_use', 'c'),
        { role: 'tool', name: 'b', tool_call_id: 'c', content: '{"rows":1}', metadata: {} },
      ],
      [answer],
    ]);
  });

  it('puts a missing result right after its call', () => {
    const roles = pairToolCalls([user, call('a'), user]).map((group) => group.map(({ role }) => role));
    expect(roles).toEqual([['user'], ['assistant', 'tool'], ['user']]);
  });

  it('moves a result that stands elsewhere and drops one that answers nothing', () => {
    const paired = pairToolCalls([
      user,
      call('a'),
      user,
      call('b'),
      result('b'),
      result('a'),
      result('stray'),
    ]);
    expect(paired.flat().map(({ role, tool_call_id }) => tool_call_id ?? role)).toEqual([
      'user',
      'assistant',
      'a',
      'user',
      'assistant',
      'b',
    ]);
  });

  it('gives a result to the last call of its id', () => {
    const [first, second] = pairToolCalls([call('a'), call('a'), result('a'), result('a')]);
    expect(first?.[1]).toMatchObject({ tool_call_id: 'a', metadata: { synthetic: true } });
    expect(second).toEqual([call('a'), result('a')]);
  });

  it('returns a history that is in order as it is', () => {
    const messages = [user, call('a', 'b'), result('a'), result('b'), user, call('c'), result('c')];
    expect(pairToolCalls(messages).flat()).toEqual(messages);
  });

  it('follows every call by exactly its results, keeps every other message, and changes nothing the second time', () => {
    const messages = fc.array(
      fc.oneof(
        fc.constant(user),
        fc
          .uniqueArray(fc.integer({ min: 0, max: 9 }), { maxLength: 3 })
          .map((ids) => call(...ids.map(String))),
        fc.integer({ min: 0, max: 12 }).map((id) => result(String(id))),
      ),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(messages, (all) => {
        const groups = pairToolCalls(all);
        const said = all.filter(({ role }) => role !== 'tool');
        expect(groups.map(([message]) => message)).toEqual(said);
        for (const [message, ...results] of groups)
          expect(results.map(({ role, tool_call_id }) => [role, tool_call_id])).toEqual(
            toolCallsOf(message).map(({ id }) => ['tool', id]),
          );
        const paired = groups.flat();
        expect(openToolCalls(paired)).toEqual([]);
        expect(pairToolCalls(paired).flat()).toEqual(paired);
        const madeUp = paired.filter(({ metadata }) => metadata?.synthetic === true);
        expect(openToolCalls(all).map(({ id }) => id)).toEqual(
          madeUp.map(({ tool_call_id }) => tool_call_id),
        );
      }),
    );
  });
});
