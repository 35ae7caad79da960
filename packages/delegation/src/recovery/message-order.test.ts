import {
  type AmplifierModule,
  CancellationToken,
  type Message,
  type SaidMessage,
  type Tool,
  toolFailure,
  toolSuccess,
} from '@amplifier/core';
import { openSessionStore } from '@amplifier/sessions';
import { seededRandom, settle, VirtualClock } from '@amplifier/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { delegationBench } from '../../test-support/delegation-bench.js';

const RUNS = Number(process.env.MESSAGE_ORDER_RUNS ?? 60);

/** A model, tools and hooks that fail, throw, hang, wait, repeat ids and say nothing. */
async function chaos(seed: number, turns: number): Promise<{ stored: SaidMessage[]; sent: Message[][] }> {
  const random = seededRandom(seed);
  const pick = (count: number) => Math.floor(random() * count);
  const clock = new VirtualClock();
  const tool: Tool = {
    name: 'any',
    description: 'Does anything.',
    inputSchema: { type: 'object' },
    async execute(_input, { signal }) {
      const what = pick(6);
      for (let wait = pick(4); wait > 0; wait--) await settle();
      if (what === 0) throw new Error('thrown');
      if (what === 1) return toolFailure('failed');
      if (what === 2) await new Promise<void>((end) => signal.addEventListener('abort', () => end()));
      if (what === 3 && pick(3) === 0) await new Promise(() => {});
      return toolSuccess('done');
    },
  };
  const hooks: AmplifierModule = {
    mount(coordinator) {
      coordinator.hooks.register('tool:pre', () => {
        const what = pick(8);
        if (what === 0) return { action: 'deny', reason: 'no' };
        return what === 1 ? { action: 'inject_context', context_injection: 'before' } : null;
      });
      coordinator.hooks.register('tool:post', () =>
        pick(4) === 0
          ? { action: 'inject_context', context_injection: 'note', ephemeral: pick(2) === 0 }
          : { action: 'continue' },
      );
    },
  };
  await using bench = await delegationBench({
    clock,
    memory: true,
    tools: [tool],
    modules: { 'hooks-chaos': hooks },
    plan: {
      session: {
        orchestrator: { module: 'loop-streaming', config: { max_iterations: 6 } },
        context: 'context-simple',
      },
      hooks: ['hooks-chaos'],
    },
    scene: () => {
      if (pick(12) === 0) return { error: new Error('model broke') };
      if (pick(15) === 0) return { hang: true };
      const ids = ['a', 'b', 'a', 'c'];
      const tool_calls = Array.from({ length: pick(5) }, (_, at) => ({
        id: ids[at] ?? 'd',
        name: pick(8) === 0 ? 'missing' : 'any',
      }));
      return { ...(pick(3) === 0 ? {} : { text: `words ${pick(100)}` }), tool_calls };
    },
  });
  let session_id: string | null = null;
  for (let turn = 0; turn < turns; turn++) {
    let over = false;
    const cancellation = new CancellationToken();
    const run: Promise<{ outcome: { session_id: string } }> =
      session_id === null
        ? bench.root(`turn ${turn}`, { cancellation })
        : bench.delegator.resume(session_id, `turn ${turn}`, { cancellation });
    void run.finally(() => {
      over = true;
    });
    for (let tick = pick(60); tick > 0 && !over; tick--) await settle();
    if (!over && pick(2) === 0) cancellation.request('graceful');
    for (let tick = 0; tick < 40 && !over; tick++) await settle();
    if (!over) cancellation.request('immediate');
    while (!over) await clock.advance(1_000);
    ({ session_id } = (await run).outcome);
  }
  const stored = await bench.store.messages(session_id ?? '');
  return { stored, sent: bench.model.requests.map((request) => request.messages) };
}

/** Every call is followed by exactly its results in call order, before anything else. */
function expectOrdered(messages: readonly SaidMessage[], complete: boolean): void {
  for (let at = 0; at < messages.length; ) {
    const message = messages[at++] as SaidMessage;
    expect(message.role).not.toBe('tool');
    for (const { id } of message.tool_calls ?? []) {
      if (!complete && at === messages.length) return;
      expect(messages[at++]).toMatchObject({ role: 'tool', tool_call_id: id });
    }
  }
}

it('leaves one result per call, in order, in the record and in every request, after any turns, tools and cancellations', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: 4 }), async (seed, turns) => {
      const { stored, sent } = await chaos(seed, turns);
      expectOrdered(stored, true);
      const ids = stored.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => call.id));
      expect(new Set(ids).size).toBe(ids.length);
      for (const messages of sent) expectOrdered(messages, true);
      // At every moment the record is a beginning of an ordered one: a crash finds at most the last answer open.
      for (let length = 1; length < stored.length; length++) expectOrdered(stored.slice(0, length), false);
    }),
    { numRuns: RUNS },
  );
});

it('stores an answer before its tools run: another connection sees the call', async () => {
  let seen: unknown = null;
  let record = '';
  const look: Tool = {
    name: 'look',
    description: 'Reads the record from outside.',
    inputSchema: { type: 'object' },
    async execute(_input, { session }) {
      const store = await openSessionStore(record);
      seen = (await store.messages(session.id)).map(({ role, tool_calls }) => [role, tool_calls?.[0]?.id]);
      await store.close();
      return toolSuccess();
    },
  };
  await using bench = await delegationBench({
    tools: [look],
    scene: (_, { results }) =>
      results.length === 0 ? { tool_calls: [{ id: 'a', name: 'look' }] } : { text: 'Done.' },
  });
  record = bench.workspace.resolve('sessions/record.db');
  const { outcome } = await bench.root('Go.');
  expect(outcome.status).toBe('completed');
  expect(seen).toEqual([
    ['user', undefined],
    ['assistant', 'a'],
  ]);
});
