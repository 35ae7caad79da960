import type { Coordinator, JsonObject } from '@amplifier/core';
import { Loop } from './loop.js';
import { readLoopConfig } from './loop-config.js';

/** The loop without streaming: each answer comes in one piece. */
export function mount(coordinator: Coordinator, config: JsonObject): void {
  const name = 'loop-basic';
  coordinator.mounts.mount('orchestrator', new Loop(name, readLoopConfig(config, name), false));
}
