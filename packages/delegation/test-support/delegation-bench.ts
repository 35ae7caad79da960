import {
  type AmplifierModule,
  type ChatRequest,
  type JsonObject,
  ModuleLoader,
  type MountPlan,
  type Tool,
  textOf,
  toolSuccess,
} from '@amplifier/core';
import { FileSessionStore } from '@amplifier/sessions';
import {
  memoryContextModule,
  minimalLoopModule,
  ScriptedProvider,
  type ScriptedTurn,
  TempWorkspace,
  type VirtualClock,
} from '@amplifier/testkit';
import { type AgentCatalog, NO_AGENTS } from '../src/agents.js';
import { Delegator, type DelegatorOptions } from '../src/delegator.js';
import type { RootRequest } from '../src/launch/build-root-record.js';
import type { Outcome } from '../src/outcome.js';
import { delegationModules } from '../src/tools/modules.js';

/** What the one scripted model of a bench says: it tells sessions apart by their system prompt and their messages. */
export type Scene = (
  request: ChatRequest,
  about: { system: string; prompt: string; results: string[]; calls: number },
) => ScriptedTurn;

export interface BenchOptions extends Partial<Omit<DelegatorOptions, 'store' | 'loader'>> {
  scene?: Scene;
  agents?: AgentCatalog;
  roster?: Record<string, JsonObject>;
  tools?: Tool[];
  modules?: Record<string, AmplifierModule>;
  plan?: JsonObject;
  clock?: VirtualClock;
  /** Use this folder instead of a new one. */
  folder?: string;
}

/** A Delegator on real files with a scripted model, and everything a test wants to look into. */
export async function delegationBench(options: BenchOptions = {}) {
  const {
    scene = () => ({ text: 'Done.' }),
    roster = AGENTS,
    tools = [],
    modules = {},
    plan = {},
    folder,
    ...rest
  } = options;
  const workspace = await TempWorkspace.create();
  const model = new ScriptedProvider(
    (request) => scene(request, about(request)),
    options.clock ? { clock: options.clock } : {},
  );
  const registry: Record<string, AmplifierModule> = {
    'loop-minimal': minimalLoopModule,
    'context-memory': memoryContextModule,
    'provider-scripted': { mount: ({ mounts }) => mounts.mount('providers', model) },
    'tool-test': {
      mount: ({ mounts }) => {
        for (const tool of [ECHO, ...tools]) mounts.mount('tools', tool);
      },
    },
    ...modules,
  };
  const loader = new ModuleLoader({
    builtins: {
      ...delegationModules,
      ...Object.fromEntries(Object.entries(registry).map(([id, module]) => [id, () => module])),
    },
  });
  const store = await FileSessionStore.open({
    folder: folder ?? workspace.resolve('sessions'),
    ...(options.clock ? { clock: options.clock } : {}),
  });
  const delegator = new Delegator({ agents: NO_AGENTS, ...rest, store, loader });
  const rootPlan: MountPlan = { ...ROOT_PLAN, agents: roster, ...plan };
  const root = (
    instruction: string,
    more: Partial<RootRequest> = {},
  ): Promise<{ outcome: Outcome; session_id: string }> =>
    delegator
      .start({
        plan: rootPlan,
        instruction,
        system_prompt: 'You are the root.',
        cwd: workspace.path,
        trusted: true,
        safety_mode: 'write',
        ...more,
      })
      .then(({ outcome }) => ({ outcome, session_id: outcome.session_id }));
  return {
    delegator,
    store,
    model,
    workspace,
    rootPlan,
    root,
    async [Symbol.asyncDispose]() {
      await delegator.background?.close();
      await store.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

/** A turn that delegates. */
export const delegating = (...requests: JsonObject[]): ScriptedTurn => ({
  text: 'I delegate.',
  tool_calls: requests.map((request) => ({ name: 'delegate', arguments: request })),
});

function about({ messages }: ChatRequest) {
  const system = messages
    .filter(({ role }) => role === 'system')
    .map(({ content }) => textOf(content))
    .join('\n');
  const users = messages.filter(({ role }) => role === 'user').map(({ content }) => textOf(content));
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const after = messages.slice(last + 1);
  const results = after.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content));
  return {
    system,
    prompt: users.at(-1) ?? '',
    results,
    calls: after.filter(({ role }) => role === 'assistant').length,
  };
}

const ECHO: Tool = {
  name: 'echo',
  description: 'Says it back.',
  inputSchema: { type: 'object' },
  execute: async ({ text }) => toolSuccess(text ?? ''),
};

const AGENTS: Record<string, JsonObject> = {
  explorer: { description: 'Explores.', instruction: 'You are the explorer.' },
  planner: { description: 'Plans.', instruction: 'You are the planner.', tools: ['tool-delegate'] },
};

const ROOT_PLAN: MountPlan = {
  session: { orchestrator: 'loop-minimal', context: 'context-memory' },
  providers: ['provider-scripted'],
  tools: ['tool-test', 'tool-delegate', 'tool-task'],
};
