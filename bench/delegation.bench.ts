// What a delegation costs: the parent calls the tool, the child gets ready, the child answers, the answer is in the parent's
// log. Beside a bare floor and beside the in-memory sub-agent of the AI SDK (`ToolLoopAgent` on its mock model), in one run.
import { execFile } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  type ChatResponse,
  type Coordinator,
  ModuleLoader,
  type MountPlan,
  type Provider,
  type ToolCall,
} from '@amplifier/core';
import { Delegator, delegationModules } from '@amplifier/delegation';
import { openMemoryStore, openSessionStore, type SessionStore } from '@amplifier/sessions';
import { memoryContextModule, minimalLoopModule, scriptedSession } from '@amplifier/testkit';
import { ToolLoopAgent, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { z } from 'zod';
import { isSmoke, type Measured, measure, printTable } from './lib/measure.js';

const folder = await mkdtemp(join(tmpdir(), 'amplifier-bench-'));
const store = await openSessionStore(join(folder, 'record.db'));

/** Delegations that a parent makes one after the other; the time is divided by them. */
const IN_TURN = 8;

/** A model that delegates, so often in each message and for so many messages, and then is done. */
const model: Provider = {
  name: 'mock',
  defaultModel: 'mock-1',
  getInfo: () => ({
    id: 'mock',
    display_name: 'Mock',
    credential_env_vars: [],
    capabilities: ['tools'],
    defaults: {},
    config_fields: [],
  }),
  listModels: async () => [],
  async complete({ messages }, { signal } = {}) {
    const system = String(messages.find(({ role }) => role === 'system')?.content);
    if (system === 'You hang.') {
      onHang();
      await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    }
    if (system !== 'root') return says('Done.');
    const [wide = 0, long = 0, agent = 'explorer'] = wishOf(
      messages.find(({ role }) => role === 'user')?.content,
    );
    const done = messages.filter(({ role }) => role === 'tool').length;
    if (done >= wide * long) return says('Done.');
    const task = { agent, instruction: 'Look around.', context_depth: 'none' };
    return delegates(
      Array.from({ length: wide }, (_, at) => ({
        id: `call_${done + at}`,
        name: 'delegate',
        arguments: task,
      })),
    );
  },
};
let onHang = () => {};

const spent = { input_tokens: 10, output_tokens: 5, total_tokens: 15, cost_usd: null };

function says(text: string): ChatResponse {
  return { content: [{ type: 'text', text }], usage: spent, finish_reason: 'stop', model: 'mock-1' };
}

function delegates(tool_calls: ToolCall[]): ChatResponse {
  const content = tool_calls.map(({ id, name, arguments: input }) => ({
    type: 'tool_call' as const,
    id,
    name,
    input,
  }));
  return { content, tool_calls, usage: spent, finish_reason: 'tool_calls', model: 'mock-1' };
}

/** `8 1 hanger`: eight at once, one message, to the agent hanger. */
function wishOf(content: unknown): [number, number, string | undefined] {
  const [wide, long, agent] = String(content).split(' ');
  return [Number(wide), Number(long), agent];
}
const modules = {
  'loop-minimal': minimalLoopModule,
  'context-memory': memoryContextModule,
  'provider-scripted': {
    mount: ({ mounts }: Coordinator) => mounts.mount('providers', model),
  },
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
const delegator = new Delegator({ store, loader });

const start = (wish: string, by: Delegator, session_id?: string) =>
  by.start({
    plan,
    system_prompt: 'root',
    instruction: wish,
    cwd: folder,
    trusted: true,
    safety_mode: 'write',
    limits: { max_children: 100_000, max_concurrency: 1_000 },
    ...(session_id === undefined ? {} : { session_id }),
  });

/** A root that delegates to so many children at once, for so many messages, all of it on this store. */
async function delegate(on: SessionStore, wide: number, long: number): Promise<void> {
  const by = on === store ? delegator : new Delegator({ store: on, loader });
  const { outcome } = await start(`${wide} ${long}`, by);
  if (outcome.status !== 'completed') throw new Error(JSON.stringify(outcome));
}
const durable = (wide: number, long: number) => delegate(store, wide, long);
/** The same code on a store in memory, which is dropped afterwards as the peer's objects are. */
async function inMemory(wide: number, long: number): Promise<void> {
  await using memory = await openMemoryStore();
  await delegate(memory, wide, long);
}

/** In memory as the peer is: a session of the kernel forks a child for each call, and nothing is kept but the conversation. */
async function inKernel(wide: number, long: number): Promise<void> {
  const complete: Provider['complete'] = async ({ messages }) => {
    const done = messages.filter(({ role }) => role === 'tool').length;
    if (messages[0]?.content === 'Look around.' || done >= wide * long) return says('Done.');
    return delegates(
      Array.from({ length: wide }, (_, at) => ({ id: `call_${done + at}`, name: 'fork', arguments: {} })),
    );
  };
  const { session } = scriptedSession({
    modules: {
      'provider-scripted': { mount: ({ mounts }) => mounts.mount('providers', { ...model, complete }) },
    },
    tools: [
      {
        name: 'fork',
        description: 'Hands the task on.',
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

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};
const stop = { unified: 'stop' as const, raw: undefined };
const calls = { unified: 'tool-calls' as const, raw: undefined };

/** The peer: an agent whose tool runs another agent. Nothing is kept anywhere. */
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
        description: 'Hands a task to another agent.',
        inputSchema: z.object({ instruction: z.string() }),
        execute: async ({ instruction }) => (await child().generate({ prompt: instruction })).text,
      }),
    },
  });
  await parent.generate({ prompt: 'Delegate.' });
}

/** The floor of the disk: as many flushed appends as the durability of a delegation needs, one after the other. */
const floorFile = await open(join(folder, 'floor'), 'a');
const APPENDS = 8;
async function bareAppends(): Promise<void> {
  for (let append = 0; append < APPENDS * IN_TURN; append++) {
    await floorFile.write(`${'x'.repeat(500)}\n`);
    await floorFile.datasync();
  }
}

const many = isSmoke ? 20 : 1_000;
const SUBJECTS = { peer, memory: inMemory, durable };
const peakOf = process.argv.find((arg) => arg.startsWith('--peak='))?.slice('--peak='.length);
if (peakOf) {
  // One delegation first, so that only what many need beyond one is counted.
  const run = SUBJECTS[peakOf as keyof typeof SUBJECTS];
  await run(1, 1);
  const before = process.resourceUsage().maxRSS;
  await run(many, 1);
  console.log(Math.round((process.resourceUsage().maxRSS - before) / 1024));
  await close();
  process.exit();
}

const rows = await measure(
  [
    { name: 'AI SDK ToolLoopAgent, in memory (the peer)', run: () => peer(1, IN_TURN) },
    { name: 'in memory: a session forks a child', run: () => inKernel(1, IN_TURN) },
    { name: 'in memory, with record, limits, grant, events', run: () => inMemory(1, IN_TURN) },
    { name: 'durable: parent and child on disk', run: () => durable(1, IN_TURN) },
    { name: 'floor of the disk: 8 flushed appends', run: bareAppends },
  ],
  { batches: 25, perBatch: isSmoke ? 1 : 10 },
);
const each = rows.map(({ name, p50, p99 }) => ({ name, p50: p50 / IN_TURN, p99: p99 / IN_TURN }));
printTable('One delegation, × the peer', each);

const wall: Measured[] = [];
for (const [name, subject] of [
  [`AI SDK, ${many} children in parallel`, 'peer'],
  [`in memory, ${many} children in parallel`, 'memory'],
  [`durable, ${many} children in parallel`, 'durable'],
] as const) {
  const times: number[] = [];
  for (let round = 0; round < (isSmoke ? 1 : 3); round++) {
    const started = process.hrtime.bigint();
    await SUBJECTS[subject](many, 1);
    times.push(Number(process.hrtime.bigint() - started) / 1000);
  }
  times.sort((a, b) => a - b);
  wall.push({
    name: `${name} (+${await peakMegabytes(subject)} MB)`,
    p50: times[Math.floor(times.length / 2)] ?? 0,
    p99: times.at(-1) ?? 0,
  });
}
printTable(`${many} children of one root, × the peer`, wall);

printTable(`Cancelling a tree of ${many + 1} sessions`, [await cancelling(many)]);

printTable('Resume, by the length of the transcript', await resumes());

await close();

async function close(): Promise<void> {
  await floorFile.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
}

/** The most memory that so many children at once take, measured in a process of their own. */
async function peakMegabytes(subject: keyof typeof SUBJECTS): Promise<string> {
  const self = fileURLToPath(import.meta.url);
  const flags = isSmoke ? ['--smoke'] : [];
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...process.execArgv,
    self,
    `--peak=${subject}`,
    ...flags,
  ]);
  return stdout.trim();
}

/** From the call to the moment when every session of the tree has been told to stop. */
async function cancelling(children: number): Promise<Measured> {
  let hanging = 0;
  const ready = new Promise<void>((resolve) => {
    onHang = () => {
      if (++hanging === children) resolve();
    };
  });
  const session_id = 'session_to-cancel';
  const running = start(`${children} 1 hanger`, delegator, session_id);
  await ready;
  const started = process.hrtime.bigint();
  const told = delegator.control.cancel(session_id, { level: 'immediate' });
  const p50 = Number(process.hrtime.bigint() - started) / 1000;
  if ((await told).length !== children + 1) throw new Error('Not all were told.');
  await running;
  return { name: 'until all of them have been told', p50, p99: p50 };
}

/** The same resume of sessions of different length. */
async function resumes(): Promise<Measured[]> {
  const subjects = [];
  for (const lines of isSmoke ? [10, 100] : [10, 1_000, 20_000]) {
    const { launch } = await delegator.start({
      plan,
      system_prompt: 'leaf',
      instruction: 'Go.',
      cwd: folder,
      trusted: true,
      safety_mode: 'write',
    });
    const log = await store.open(launch.session_id);
    const said = Array.from({ length: lines }, (_, at) => ({
      role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: 'x'.repeat(200),
    }));
    await log.appendMessages(said);
    await log.close();
    const run = () => delegator.resume(launch.session_id, 'And now?');
    subjects.push({ name: `${lines} messages`, run });
  }
  return measure(subjects, { batches: 10, perBatch: isSmoke ? 1 : 5 });
}
