import type { Coordinator } from '../coordinator.js';
import type { HookRegistry } from '../hooks.js';
import type { ContextManager } from './context-manager.js';
import type { Provider } from './provider.js';
import type { Tool } from './tool.js';

/** Everything a turn works with. The maps are live: a module mounted during the turn is seen. */
export interface TurnRuntime {
  readonly context: ContextManager;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly hooks: HookRegistry;
  readonly coordinator: Coordinator;
}

/**
 * The loop of a turn.
 *
 * Must emit `execution:start` first, `execution:end` on every way out, `provider:request` and `provider:response`
 * around each model call, `tool:pre` and `tool:post` around each tool call, and `orchestrator:complete` last. Must
 * leave exactly one result for every tool call in the context, in call order, also when cancelled.
 */
export interface Orchestrator {
  execute(prompt: string, runtime: TurnRuntime): Promise<string>;
}
