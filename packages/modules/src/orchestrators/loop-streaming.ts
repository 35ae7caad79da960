import type { Coordinator, JsonObject } from '@amplifier/core';
import { Loop } from './loop.js';
import { readLoopConfig } from './loop-config.js';

/** The loop with streaming: each piece of an answer becomes an event as it comes. */
export function mount(coordinator: Coordinator, config: JsonObject): void {
  const name = 'loop-streaming';
  coordinator.mounts.mount('orchestrator', new Loop(name, readLoopConfig(config, name), true));
}
