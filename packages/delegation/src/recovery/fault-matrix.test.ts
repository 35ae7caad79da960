import {
  AuthenticationError,
  ContentFilterError,
  ContextLengthError,
  InvalidToolCallError,
  NetworkError,
} from '@amplifier/core';
import { type ScriptedTurn, VirtualClock } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { delegationBench, type Scene } from '../../test-support/delegation-bench.js';

interface Fault {
  fault: string;
  turns: (call: number) => ScriptedTurn;
  expected: Record<string, unknown>;
  request?: Record<string, unknown>;
  /** Seconds to let pass while the child hangs. */
  after?: number;
  cancel?: true;
}

const SCHEMA = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

const FAULTS: Fault[] = [
  {
    fault: 'the provider is down',
    turns: () => ({ error: new NetworkError('no route', { provider: 'scripted' }) }),
    expected: {
      status: 'failed',
      error: { code: 'NETWORK_ERROR', retryable: true, origin: 'scripted' },
    },
  },
  {
    fault: 'the credentials are wrong',
    turns: () => ({ error: new AuthenticationError('bad key') }),
    expected: { status: 'failed', error: { code: 'AUTHENTICATION', retryable: false } },
  },
  {
    fault: 'the conversation is too long',
    turns: () => ({ error: new ContextLengthError('too long') }),
    expected: { status: 'failed', error: { code: 'CONTEXT_LENGTH' } },
  },
  {
    fault: 'the provider throws something unknown',
    turns: () => ({ error: new TypeError('undefined is not a function') }),
    expected: { status: 'failed', error: { code: 'EXECUTION_FAILED', message: /TypeError/ } },
  },
  {
    fault: 'the provider fails after a tool ran',
    turns: (call) =>
      call === 0
        ? { text: 'I look.', tool_calls: [{ name: 'echo' }] }
        : { error: new NetworkError('lost it') },
    expected: { status: 'failed', partial_text: 'I look.', error: { code: 'NETWORK_ERROR' } },
  },
  {
    fault: 'the answer is empty',
    turns: () => ({ text: '' }),
    expected: { status: 'failed', error: { code: 'EMPTY_ANSWER', retryable: true } },
  },
  {
    fault: 'the answer is blank after a tool ran',
    turns: (call) => (call === 0 ? { tool_calls: [{ name: 'echo' }] } : { text: ' \n ' }),
    expected: { status: 'failed', error: { code: 'EMPTY_ANSWER' } },
  },
  {
    fault: 'the model only thinks',
    turns: () => ({ thinking: 'Hm.' }),
    expected: { status: 'failed', error: { code: 'EMPTY_ANSWER' } },
  },
  {
    fault: 'the answer is cut off at the output limit',
    turns: () => ({ text: 'The result is', finish_reason: 'length' }),
    expected: { status: 'limit', limit: { kind: 'output' }, partial_text: 'The result is' },
  },
  {
    fault: 'the filter ends the answer',
    turns: () => ({ text: 'I', finish_reason: 'content_filter' }),
    expected: { status: 'refused', error: { code: 'CONTENT_FILTER' } },
  },
  {
    fault: 'the filter refuses the request',
    turns: () => ({ error: new ContentFilterError('not this') }),
    expected: { status: 'refused', error: { code: 'CONTENT_FILTER', message: 'not this' } },
  },
  {
    fault: 'the tool call cannot be read',
    turns: () => ({
      error: new InvalidToolCallError('bad JSON', { tool_name: 'echo', raw_arguments: '{' }),
    }),
    expected: { status: 'failed', error: { code: 'INVALID_TOOL_CALL' } },
  },
  {
    fault: 'the model runs in circles',
    turns: () => ({ text: 'Again.', tool_calls: [{ name: 'echo' }] }),
    request: { limits: { max_turns: 3 } },
    expected: { status: 'limit', limit: { kind: 'turns' }, turn_count: 3, partial_text: 'Again.' },
  },
  {
    fault: 'the tokens run out',
    turns: () => ({ text: 'More.', tool_calls: [{ name: 'echo' }], usage: { output_tokens: 9000 } }),
    request: { limits: { max_tokens: 9500 } },
    expected: { status: 'limit', limit: { kind: 'tokens' } },
  },
  {
    fault: 'the answer misses its schema twice',
    turns: () => ({ text: 'n is one' }),
    request: { output_schema: SCHEMA },
    expected: { status: 'failed', error: { code: 'SCHEMA_MISMATCH' }, partial_text: 'n is one' },
  },
  {
    fault: 'the model hangs and nothing moves',
    turns: () => ({ hang: true }),
    request: { limits: { stall: 60 }, timeout: 1000 },
    after: 61,
    expected: { status: 'stalled', error: { code: 'STALLED', retryable: true } },
  },
  {
    fault: 'the model hangs beyond the timeout',
    turns: (call) => (call === 0 ? { text: 'So far.', tool_calls: [{ name: 'echo' }] } : { hang: true }),
    request: { timeout: 10 },
    after: 11,
    expected: { status: 'limit', limit: { kind: 'time' }, partial_text: 'So far.' },
  },
  {
    fault: 'somebody cancels',
    turns: () => ({ hang: true }),
    cancel: true,
    expected: { status: 'cancelled', by: 'tester' },
  },
];

/** Every fault also leaves one terminal event, and a session that answers when it is resumed. */
describe.each(FAULTS)('when $fault', ({ turns, expected, request = {}, after, cancel }) => {
  it.each([
    ['spawn', 1],
    ['resume', 2],
  ] as const)('a %s ends in the right outcome', async (_, faultyTurn) => {
    const clock = new VirtualClock();
    const good = { text: request.output_schema ? '{"n": 1}' : 'Fine.' };
    let turn = 0;
    const scene: Scene = (_, { calls }) => (turn === faultyTurn ? turns(calls) : good);
    await using bench = await delegationBench({ scene, clock });
    await using root = await bench.liveRoot();
    const run = async (input: Record<string, unknown>) => {
      turn++;
      const delegation = await bench.delegator.delegate(input, root.parent);
      if (delegation.kind !== 'outcome') throw new Error('in the background');
      return delegation.outcome;
    };
    const meddle = async (child: string) => {
      await bench.hanging;
      if (cancel) await bench.delegator.control.cancel(child, { by: 'tester', level: 'immediate' });
      else await clock.advance(1000 * (after ?? 0));
    };
    const { output_schema: _schema, ...again } = request;
    const running = run({ agent: 'explorer', instruction: 'Look.', ...request });
    if (faultyTurn === 1 && (after || cancel)) await meddle(await childOf(bench, root.parent.session_id));
    let outcome = await running;
    if (faultyTurn === 2) {
      expect(outcome.status).toBe('completed');
      const resuming = run({ session_id: outcome.session_id, instruction: 'Look again.', ...again });
      if (after || cancel) await meddle(outcome.session_id);
      outcome = await resuming;
    }
    expect(outcome).toMatchObject(matching(expected) as object);
    expect(outcome).toMatchObject({ resumable: true, session_id: expect.any(String) });
    const ends = bench.events.filter(
      ({ name, data }) => TERMINAL.has(name) && data.sub_session_id === outcome.session_id,
    );
    expect(ends.map(({ data }) => data.status).at(-1)).toBe(expected.status);
    expect(ends).toHaveLength(faultyTurn);
    expect(ends.at(-1)?.name).not.toBe('delegate:agent_completed');
    if (request.limits) return;
    turn = 99;
    expect((await run({ session_id: outcome.session_id, instruction: 'Once more.' })).status).toBe(
      'completed',
    );
  });
});

const TERMINAL = new Set(['delegate:agent_completed', 'delegate:agent_cancelled', 'delegate:error']);

/** The child's id, as soon as there is a child. */
async function childOf({ store, hanging }: Awaited<ReturnType<typeof delegationBench>>, parent: string) {
  await hanging;
  const [child] = await store.children(parent);
  return child?.session_id ?? '';
}

/** Regular expressions in the table stand for text that matches them. */
function matching(expected: unknown): unknown {
  if (expected instanceof RegExp) return expect.stringMatching(expected);
  if (typeof expected !== 'object' || expected === null) return expected;
  return Object.fromEntries(Object.entries(expected).map(([key, value]) => [key, matching(value)]));
}
