import {
  type AmplifierModule,
  type JsonObject,
  ModuleLoader,
  type MountPlan,
  Session,
  type SessionOptions,
  type Tool,
} from '@amplifier/core';
import { memoryContextModule } from './memory-context.js';
import { minimalLoopModule } from './minimal-loop.js';
import { type Script, ScriptedProvider, scriptedProviderModule } from './scripted-provider.js';

export interface ScriptedSessionOptions extends Partial<Omit<SessionOptions, 'plan' | 'loader'>> {
  script?: Script;
  tools?: Tool[];
  /** Further modules by id; a module of one of the ids above replaces it. */
  modules?: Record<string, AmplifierModule>;
  /** Laid over the plan of the scripted session. */
  plan?: JsonObject;
}

/** A session on the scripted model, not yet initialized, with the model to look into afterwards. */
export function scriptedSession(options: ScriptedSessionOptions = {}): {
  session: Session;
  model: ScriptedProvider;
} {
  const { script = [{ text: 'Done.' }], tools = [], modules = {}, plan = {}, ...sessionOptions } = options;
  const { clock } = sessionOptions;
  const model = new ScriptedProvider(script, clock ? { clock } : {});
  const registry: Record<string, AmplifierModule> = {
    'loop-minimal': minimalLoopModule,
    'context-memory': memoryContextModule,
    'provider-scripted': scriptedProviderModule(model),
    'tool-test': {
      mount: ({ mounts }) => {
        for (const tool of tools) mounts.mount('tools', tool);
      },
    },
    ...modules,
  };
  const builtins = Object.fromEntries(Object.entries(registry).map(([id, module]) => [id, () => module]));
  const session = new Session({
    ...sessionOptions,
    plan: { ...SCRIPTED_PLAN, ...plan },
    loader: new ModuleLoader({ builtins }),
  });
  return { session, model };
}

const SCRIPTED_PLAN: MountPlan = {
  session: { orchestrator: 'loop-minimal', context: 'context-memory' },
  providers: ['provider-scripted'],
  tools: ['tool-test'],
};
