import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  type AmplifierModule,
  type ChatRequest,
  type JsonObject,
  type Liveness,
  ModuleLoader,
  type MountPlan,
  type Provider,
  systemClock,
  type Tool,
  textOf,
  toolSuccess,
} from '@amplifier/core';
import { builtinModules } from '@amplifier/modules';
import { openMemoryStore, openRunQueue, openSessionStore } from '@amplifier/sessions';
import { ScriptedProvider, type ScriptedTurn, TempWorkspace, type VirtualClock } from '@amplifier/testkit';
import { BACKGROUND_KIND } from '../src/background/background-queue.js';
import { backgroundKind } from '../src/background/background-work.js';
import { QueueWorker } from '../src/background/queue-worker.js';
import { Delegator, type DelegatorOptions } from '../src/delegator.js';
import { type AgentCatalog, NO_AGENTS } from '../src/plan/agents.js';
import type { Control } from '../src/recovery/control.js';
import '../src/tools/equip-session.js';
import type { RootRequest } from '../src/plan/plan-root.js';
import type { Outcome } from '../src/request/outcome.js';
import { delegationModules } from '../src/tools/modules.js';
import type { Parent } from '../src/turn/parent.js';

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
  /** How the record tells which owners of sessions are dead. */
  liveness?: Liveness;
  /** With a queue, so that children can run in the background. */
  background?: boolean;
  /** Keep sessions in memory instead of on files. */
  memory?: boolean;
}

/** A Delegator on real files with a scripted model, and everything a test wants to look into. */
export async function delegationBench(options: BenchOptions = {}) {
  const {
    scene = (): ScriptedTurn => ({ text: 'Done.' }),
    roster = AGENTS,
    tools = [],
    modules = {},
    plan = {},
    folder,
    liveness,
    background = false,
    memory = false,
    ...rest
  } = options;
  const workspace = await TempWorkspace.create();
  const events: { name: string; data: Readonly<JsonObject> }[] = [];
  const hanging = gate<void>();
  const model = new ScriptedProvider(
    (request) => {
      const seen = about(request);
      const turn = holdTurn(request) ?? scene(request, seen);
      if (turn.hang) hanging.resolve();
      return turn;
    },
    options.clock ? { clock: options.clock } : {},
  );
  const running = gate<Parent>();
  const released = gate<void>();
  const hold: Tool = {
    name: 'hold',
    description: 'Waits.',
    inputSchema: { type: 'object' },
    execute: async (_, { coordinator }) => {
      const delegation = coordinator.getCapability('session.delegation');
      if (delegation) running.resolve(delegation.parent);
      await released.promise;
      return toolSuccess('released');
    },
  };
  const registry: Record<string, AmplifierModule> = {
    'provider-scripted': {
      mount: ({ mounts }, { priority }) =>
        mounts.mount('providers', typeof priority === 'number' ? withPriority(model, priority) : model),
    },
    'tool-test': {
      mount: ({ mounts }) => {
        for (const tool of [ECHO, hold, ...tools]) mounts.mount('tools', tool);
      },
    },
    ...modules,
  };
  const loader = new ModuleLoader({
    builtins: {
      ...builtinModules,
      ...delegationModules,
      ...Object.fromEntries(Object.entries(registry).map(([id, module]) => [id, () => module])),
    },
  });
  const clock = options.clock ? { clock: options.clock } : {};
  const place = folder ?? workspace.resolve('sessions');
  const store = memory
    ? await openMemoryStore(clock)
    : await openSessionStore(`${place}/record.db`, { ...clock, ...(liveness ? { liveness } : {}) });
  const queue = background ? await openRunQueue(workspace.resolve(QUEUE), clock) : null;
  const record = { store, ...(queue ? { queue } : {}) };
  const runInBackground = () => worker?.start();
  const delegator = new Delegator({ agents: NO_AGENTS, runInBackground, ...rest, ...record, loader });
  const kinds = { [BACKGROUND_KIND]: backgroundKind((claimed) => delegator.performBackground(claimed)) };
  const { clock: time = systemClock, report = () => {} } = rest;
  const worker = queue ? new QueueWorker({ queue, store, clock: time, report, kinds }) : null;
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
        onEvent: (name, data) => events.push({ name, data }),
        ...more,
      })
      .then(({ outcome }) => ({ outcome, session_id: outcome.session_id }));
  return {
    delegator,
    store,
    queue,
    /** Executes background children, unless the test does. */
    worker,
    model,
    workspace,
    rootPlan,
    root,
    /** Every event that reached the observers of a root. */
    events,
    /** Settles when the model has been made to hang. */
    hanging: hanging.promise,
    /** A root in the middle of a turn, to delegate from as an app may. It ends when it is disposed of. */
    async liveRoot(more: Partial<RootRequest> = {}) {
      const ended = root(HOLD, more);
      const parent = await Promise.race([
        running.promise,
        ended.then(({ outcome }) => {
          throw new Error(`The root ended before it could delegate: ${JSON.stringify(outcome)}`);
        }),
      ]);
      return {
        parent,
        async [Symbol.asyncDispose]() {
          released.resolve();
          await ended;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await worker?.close();
      await queue?.close();
      await store.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

/** The same model, moved to another place in the order of providers. */
function withPriority(model: ScriptedProvider, priority: number): Provider {
  return {
    name: model.name,
    priority,
    defaultModel: model.defaultModel,
    getInfo: () => model.getInfo(),
    listModels: () => model.listModels(),
    complete: (request, options) => model.complete(request, options),
  };
}

/** Calls a method of `Control` from another process. */
export async function fromAnotherProcess(
  { workspace }: { workspace: TempWorkspace },
  method: keyof Control,
  ...args: unknown[]
): Promise<{ result?: unknown; error?: { code: string; message: string } }> {
  const folders = [workspace.resolve('sessions'), workspace.resolve('queue')];
  const { stdout } = await promisify(execFile)(process.execPath, [
    CONTROL_PROCESS,
    ...folders,
    method,
    JSON.stringify(args),
  ]);
  return JSON.parse(stdout);
}

/** The file of a bench's queue, in its workspace. */
export const QUEUE = 'queue/record.db';
const CONTROL_PROCESS = fileURLToPath(new URL('./control-process.mjs', import.meta.url));

/** A promise and the way to fulfil it. */
export function gate<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}

const HOLD = 'HOLD';
function holdTurn({ messages }: ChatRequest): ScriptedTurn | null {
  if (!messages.some(({ role, content }) => role === 'user' && content === HOLD)) return null;
  return messages.some(({ name }) => name === 'hold')
    ? { text: 'Held.' }
    : { tool_calls: [{ name: 'hold' }] };
}

/** A root that makes its calls one message after the other, and in the end repeats what it got; others answer by `child`. */
export const rootCalls =
  (calls: JsonObject[], child: Scene = (_, { system }) => ({ text: `Answer of ${system}` })): Scene =>
  (request, about) => {
    if (!about.system.includes('root')) return child(request, about);
    const next = calls[about.calls];
    return next ? delegating(next) : { text: `Got: ${about.results.join(' | ')}` };
  };

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
  session: { orchestrator: 'loop-streaming', context: 'context-simple' },
  providers: ['provider-scripted'],
  tools: ['tool-test', 'tool-delegate', 'tool-task'],
};
