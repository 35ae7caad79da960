import { ModuleLoader, type MountPlan } from '@amplifier/core';
import { Delegator, delegationModules } from '@amplifier/delegation';
import { MemorySessionStore } from '@amplifier/sessions';
import {
  memoryContextModule,
  minimalLoopModule,
  ScriptedProvider,
  scriptedSession,
} from '@amplifier/testkit';

const model = new ScriptedProvider(({ messages }) => {
  const system = String(messages.find(({ role }) => role === 'system')?.content);
  if (system !== 'root') return { text: 'Done.' };
  const [wide, long] = String(messages.find(({ role }) => role === 'user')?.content)
    .split(' ')
    .map(Number);
  const done = messages.filter(({ role }) => role === 'tool').length;
  if (done >= wide * long) return { text: 'Done.' };
  return {
    tool_calls: Array.from({ length: wide }, (_, at) => ({
      id: `call_${done + at}`,
      name: 'delegate',
      arguments: { agent: 'explorer', instruction: 'Look around.', context_depth: 'none' },
    })),
  };
});
model.requests.push = () => 1;
const modules = {
  'loop-minimal': minimalLoopModule,
  'context-memory': memoryContextModule,
  'provider-scripted': { mount: ({ mounts }: any) => void mounts.mount('providers', model) },
};
const plan: MountPlan = {
  session: { orchestrator: 'loop-minimal', context: 'context-memory' },
  providers: ['provider-scripted'],
  tools: ['tool-delegate'],
  agents: {
    explorer: { description: 'Explores.', instruction: 'You are the explorer.' },
    hanger: { description: 'Hangs.', instruction: 'You hang.' },
  },
};
const builtins = Object.fromEntries(Object.entries(modules).map(([id, module]) => [id, () => module]));
const loader = new ModuleLoader({ builtins: { ...delegationModules, ...builtins } as never });
export async function run(wide: number, long: number) {
  const by = new Delegator({ store: new MemorySessionStore(), loader });
  const { outcome } = await by.start({
    plan,
    system_prompt: 'root',
    instruction: `${wide} ${long}`,
    cwd: '/tmp',
    trusted: true,
    safety_mode: 'write',
    limits: { max_children: 100_000, max_concurrency: 1_000 },
  });
  if (outcome.status !== 'completed') throw new Error(JSON.stringify(outcome));
}
async function bareKernel(wide: number, long: number) {
  const { session } = scriptedSession({
    script: ({ messages }, call) => {
      if (messages[0]?.content === 'Look around.' || call >= long * (1 + wide)) return { text: 'Done.' };
      const done = messages.filter(({ role }) => role === 'tool').length;
      if (done >= wide * long) return { text: 'Done.' };
      return { tool_calls: Array.from({ length: wide }, () => ({ name: 'fork' })) };
    },
    tools: [
      {
        name: 'fork',
        description: 'x',
        inputSchema: { type: 'object' },
        execute: async () => {
          await using child = await session.fork({}, 'Look around.');
          return { success: true, output: await child.execute('Look around.') };
        },
      },
    ],
  });
  await session.initialize();
  await session.execute('Delegate.');
  await session.cleanup();
}

import { ToolLoopAgent, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { z } from 'zod';

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};
const stop = { unified: 'stop' as const, raw: undefined };
const calls = { unified: 'tool-calls' as const, raw: undefined };
async function peer(wide: number, long: number): Promise<void> {
  const child = () =>
    new ToolLoopAgent({
      model: new MockLanguageModelV3({
        doGenerate: async () => ({
          content: [{ type: 'text', text: 'Done.' }],
          finishReason: stop,
          usage,
          warnings: [],
        }),
      }),
      instructions: 'You are the explorer.',
    });
  let asked = 0;
  const parent = new ToolLoopAgent({
    model: new MockLanguageModelV3({
      doGenerate: async () =>
        asked++ < long
          ? {
              content: Array.from({ length: wide }, (_, at) => ({
                type: 'tool-call' as const,
                toolCallId: `call_${asked}_${at}`,
                toolName: 'delegate',
                input: '{"instruction":"Look around."}',
              })),
              finishReason: calls,
              usage,
              warnings: [],
            }
          : { content: [{ type: 'text', text: 'Done.' }], finishReason: stop, usage, warnings: [] },
    }),
    instructions: 'You are the root.',
    tools: {
      delegate: tool({
        description: 'x',
        inputSchema: z.object({ instruction: z.string() }),
        execute: async ({ instruction }) => (await child().generate({ prompt: instruction })).text,
      }),
    },
  });
  await parent.generate({ prompt: 'Delegate.' });
}
const n = Number(process.argv[2] ?? 100);
for (const [name, f] of [
  ['peer', peer],
  ['kernel', bareKernel],
  ['memory', run],
] as const) {
  if (process.argv[3] && process.argv[3] !== name) continue;
  for (let i = 0; i < 100; i++) await f(1, 8);
  const times: number[] = [];
  const c0 = process.cpuUsage();
  for (let i = 0; i < n; i++) {
    const t = performance.now();
    await f(1, 8);
    times.push(((performance.now() - t) * 1000) / 8);
  }
  const c = process.cpuUsage(c0);
  times.sort((a, b) => a - b);
  console.log(
    name.padEnd(8),
    'wall p50 µs',
    times[n >> 1].toFixed(0),
    'p10',
    times[Math.floor(n / 10)].toFixed(0),
    'cpu µs',
    ((c.user + c.system) / n / 8).toFixed(0),
  );
}
