import { join } from 'node:path';
import {
  type ChatResponse,
  type Coordinator,
  ModuleLoader,
  type ModuleRegistry,
  Plan,
  type Provider,
  Session,
  type Tool,
  type ToolCall,
} from '@amplifier/core';
import { Delegator, delegationModules } from '@amplifier/delegation';
import { builtinModules } from '@amplifier/modules';
import { openMemoryStore, openSessionStore, type SessionStore } from '@amplifier/sessions';
import { ToolLoopAgent, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';
import { BareDatabase } from './bare-database.js';

/** A root that delegates `wide` tasks in one answer, `long` answers in a row. */
export type Delegation = (wide: number, long: number) => Promise<unknown>;

/** A model that delegates as its instruction says, and then is done. */
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
    const [wide = 0, long = 0, agent = 'explorer'] = taskOf(
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
/** Called by a child that hangs as soon as it does. */
let onHang = () => {};
export function whenHanging(then: () => void): void {
  onHang = then;
}

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
function taskOf(content: unknown): [number, number, string | undefined] {
  const [wide, long, agent] = String(content).split(' ');
  return [Number(wide), Number(long), agent];
}
const builtins: ModuleRegistry = {
  ...builtinModules,
  ...delegationModules,
  'provider-scripted': () => ({ mount: ({ mounts }: Coordinator) => mounts.mount('providers', model) }),
};
/** The loop and the context of the default bundle. */
const SESSION = { orchestrator: 'loop-streaming', context: 'context-simple' };
/** Frozen, as a host has it. */
export const { json: plan } = Plan.of({
  session: SESSION,
  providers: ['provider-scripted'],
  tools: ['tool-delegate'],
  agents: {
    explorer: { description: 'Explores.', instruction: 'You are the explorer.' },
    hanger: { description: 'Hangs.', instruction: 'You hang.' },
  },
});
const loader = new ModuleLoader({ builtins });
/** Starts a root in a folder, with a task such as `8 1 hanger`. */
export function start(by: Delegator, cwd: string, task: string, session_id?: string) {
  return by.start({
    plan,
    system_prompt: 'root',
    instruction: task,
    cwd,
    trusted: true,
    safety_mode: 'write',
    limits: { max_children: 100_000, max_concurrency: 1_000 },
    ...(session_id === undefined ? {} : { session_id }),
  });
}

/** Work on the record so far. */
export interface Counts {
  commits: number;
  syncs: number;
  statements: number;
}

/** Our runtime on a record that stays open. */
export interface Bench extends AsyncDisposable {
  store: SessionStore & { counts?: Counts };
  delegator: Delegator;
  delegate: Delegation;
}

async function benchOn(store: Bench['store'], cwd: string): Promise<Bench> {
  const delegator = new Delegator({ store, loader });
  const delegate: Delegation = async (wide, long) => {
    const { outcome } = await start(delegator, cwd, `${wide} ${long}`);
    if (outcome.status !== 'completed') throw new Error(JSON.stringify(outcome));
  };
  return { store, delegator, delegate, [Symbol.asyncDispose]: () => store.close() };
}

export async function durableBench(folder: string): Promise<Bench> {
  return benchOn(await openSessionStore(join(folder, 'record.db')), folder);
}

export async function memoryBench(folder: string): Promise<Bench> {
  return benchOn(await openMemoryStore(), folder);
}

/** In memory like the peer: a kernel session forks a child for each call, and only the conversation is kept. */
export const inKernel: Delegation = async (wide, long) => {
  const complete: Provider['complete'] = async ({ messages }) => {
    const done = messages.filter(({ role }) => role === 'tool').length;
    if (messages[0]?.content === 'Look around.' || done >= wide * long) return says('Done.');
    return delegates(
      Array.from({ length: wide }, (_, at) => ({ id: `call_${done + at}`, name: 'fork', arguments: {} })),
    );
  };
  const fork: Tool = {
    name: 'fork',
    description: 'Delegates the task.',
    inputSchema: { type: 'object' },
    execute: async () => {
      await using child = await session.fork({}, 'Look around.');
      return { success: true, output: await child.execute('Look around.') };
    },
  };
  const session: Session = new Session({
    plan: { session: SESSION, providers: ['provider-scripted'], tools: ['tool-fork'] },
    loader: new ModuleLoader({
      builtins: {
        ...builtinModules,
        'provider-scripted': () => ({
          mount: ({ mounts }) => mounts.mount('providers', { ...model, complete }),
        }),
        'tool-fork': () => ({ mount: ({ mounts }) => mounts.mount('tools', fork) }),
      },
    }),
  });
  await session.initialize();
  await session.execute('Delegate.');
  await session.cleanup();
};

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};
const stop = { unified: 'stop' as const, raw: undefined };
const calls = { unified: 'tool-calls' as const, raw: undefined };

/** The peer: an agent whose tool runs another agent. Nothing is kept anywhere. */
export const peer: Delegation = async (wide, long) => {
  const child = () =>
    new ToolLoopAgent({
      model: new MockLanguageModelV4({
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
    model: new MockLanguageModelV4({
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
        description: 'Delegates a task to another agent.',
        inputSchema: z.object({ instruction: z.string() }),
        execute: async ({ instruction }) => (await child().generate({ prompt: instruction })).text,
      }),
    },
  });
  await parent.generate({ prompt: 'Delegate.' });
};

/** What the durability of a delegation costs at best: its commits, each of as many bytes, one sync, and nothing else. */
export function bareCommits(folder: string): Delegation {
  const bare = new BareDatabase(join(folder, 'bare.db'), 'NORMAL');
  const row = 'x'.repeat(350);
  return async (_wide, long) => {
    for (let round = 0; round < long; round++) {
      for (const rows of COMMITS) bare.commit(Array.from({ length: rows }, () => row));
      bare.sync();
    }
  };
}

/** Rows of the commits: root, call and child; both outcomes, result and answer. */
const COMMITS = [15, 16];
