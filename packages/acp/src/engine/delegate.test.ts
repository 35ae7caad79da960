import { type ChatRequest, type JsonObject, ModuleLoader, textOf } from '@amplifier/core';
import { delegationModules } from '@amplifier/delegation';
import { memoryContextModule, minimalLoopModule, ScriptedProvider } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { acpBench, acpFacts } from '../../test-support/acp-bench.js';

/** A parent on a model in this process, with an external agent as its child. */
async function parentBench(instruction: string, agents: JsonObject = {}) {
  const model = new ScriptedProvider((request: ChatRequest) => {
    const result = request.messages.findLast(({ role }) => role === 'tool');
    if (result) return { text: `It said: ${textOf(result.content)}` };
    const agent = Object.keys(agents)[0] ?? 'acp:chaos';
    return { tool_calls: [{ name: 'delegate', arguments: { agent, instruction, context_depth: 'none' } }] };
  });
  const bench = await acpBench({
    delegator: {
      loader: new ModuleLoader({
        builtins: {
          ...delegationModules,
          loop: () => minimalLoopModule,
          context: () => memoryContextModule,
          provider: () => ({ mount: ({ mounts }) => mounts.mount('providers', model) }),
        },
      }),
    },
  });
  const plan = {
    session: { orchestrator: 'loop', context: 'context' },
    providers: ['provider'],
    tools: ['tool-delegate'],
    agents,
  };
  const seen: [string, unknown][] = [];
  const { cwd, trusted } = bench.request('');
  const start = () =>
    bench.delegator.start({
      plan,
      instruction: 'Go.',
      cwd,
      trusted,
      safety_mode: 'read_only',
      onEvent: (name, { lineage, sub_session_id }) =>
        void seen.push([name, (lineage as JsonObject | undefined)?.agent ?? sub_session_id ?? null]),
    });
  return { ...bench, start, seen };
}

it('is a child like any other: its own session, its events in the parent’s stream, its usage in the parent’s sum', async () => {
  await using bench = await parentBench('!tool read a.txt\n!say Found it.\n!usage 100 20');
  const { outcome } = await bench.start();
  expect(outcome).toMatchObject({ status: 'completed', text: expect.stringContaining('Found it.') });
  expect(outcome.usage.input_tokens).toBeGreaterThanOrEqual(100);
  const [child] = await bench.delegator.control.children(outcome.session_id);
  expect(child).toMatchObject({ agent: 'acp:chaos', status: 'completed' });
  expect(child?.session_id).toMatch(/^[0-9a-f]{16}-[0-9a-f]{16}_acp/);
  expect(bench.seen).toContainEqual(['tool:pre', 'acp:chaos']);
  expect(bench.seen.filter(([name]) => name === 'delegate:agent_completed')).toHaveLength(1);
});

it('runs a Markdown agent that names the engine, with its instruction in front', async () => {
  await using bench = await parentBench('!say Reviewed.', {
    reviewer: { description: 'Reviews.', instruction: '!say As a reviewer: ', engine: 'acp:chaos' },
  });
  const { outcome } = await bench.start();
  expect(outcome).toMatchObject({ text: expect.stringContaining('As a reviewer: Reviewed.') });
  const [child] = await bench.delegator.control.children(outcome.session_id);
  const { outcome: own } = await bench.delegator.control.status(child?.session_id ?? '');
  expect(own && acpFacts(own)).toMatchObject({ agent: 'chaos' });
});
