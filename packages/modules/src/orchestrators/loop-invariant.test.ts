import { type Message, type Tool, toolFailure, toolSuccess } from '@amplifier/core';
import { scriptedSession, seededRandom, settle, VirtualClock } from '@amplifier/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as contextSimple from '../contexts/context-simple.js';
import * as loopStreaming from './loop-streaming.js';

const RUNS = Number(process.env.LOOP_INVARIANT_RUNS ?? 60);

/** A model and tools that do anything: fail, throw, hang, take their time, repeat ids, fall silent. */
async function chaos(seed: number, turns: number): Promise<{ stored: Message[]; sent: Message[][] }> {
  const random = seededRandom(seed);
  const pick = (count: number) => Math.floor(random() * count);
  const clock = new VirtualClock();
  const log: Message[] = [];
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
  const { session, model } = scriptedSession({
    clock,
    tools: [tool],
    modules: { 'loop-streaming': loopStreaming, 'context-simple': contextSimple },
    plan: {
      session: {
        orchestrator: { module: 'loop-streaming', config: { max_iterations: 6 } },
        context: 'context-simple',
      },
    },
    script: () => {
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
  session.coordinator.registerCapability('session.message_log', {
    async append(message) {
      if (pick(3) === 0) await settle();
      log.push(message);
    },
  });
  session.coordinator.hooks.register('tool:pre', () => {
    const what = pick(8);
    if (what === 0) return { action: 'deny', reason: 'no' };
    return what === 1 ? { action: 'inject_context', context_injection: 'before' } : null;
  });
  session.coordinator.hooks.register('tool:post', () =>
    pick(4) === 0
      ? { action: 'inject_context', context_injection: 'note', ephemeral: pick(2) === 0 }
      : { action: 'continue' },
  );
  await session.initialize();
  for (let turn = 0; turn < turns; turn++) {
    session.coordinator.cancellation.reset();
    let over = false;
    const run = session.execute(`turn ${turn}`).then(
      () => undefined,
      () => undefined,
    );
    run.then(() => {
      over = true;
    });
    for (let tick = pick(60); tick > 0 && !over; tick--) await settle();
    if (!over && pick(2) === 0) await session.coordinator.requestCancel('graceful');
    for (let tick = 0; tick < 40 && !over; tick++) await settle();
    if (!over) await session.coordinator.requestCancel('immediate');
    while (!over) await clock.advance(1_000);
  }
  await session.cleanup();
  return { stored: log, sent: model.requests.map((request) => request.messages) };
}

/** Every call is followed by exactly its results in call order, before anything else. */
function expectOrdered(messages: readonly Message[], complete: boolean): void {
  for (let at = 0; at < messages.length; ) {
    const message = messages[at++] as Message;
    expect(message.role).not.toBe('tool');
    for (const { id } of message.tool_calls ?? []) {
      if (!complete && at === messages.length) return;
      expect(messages[at++]).toMatchObject({ role: 'tool', tool_call_id: id });
    }
  }
}

it('leaves one result per call, in order, in the log and in every request, after any turns, tools and cancellations', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: 4 }), async (seed, turns) => {
      const { stored, sent } = await chaos(seed, turns);
      expectOrdered(stored, true);
      const ids = stored.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => call.id));
      expect(new Set(ids).size).toBe(ids.length);
      for (const messages of sent) expectOrdered(messages, true);
      // At every moment the log is a beginning of an ordered one: a crash finds at most the last answer open.
      for (let length = 1; length < stored.length; length++) expectOrdered(stored.slice(0, length), false);
    }),
    { numRuns: RUNS },
  );
});
