import type { Coordinator, JsonObject } from '@amplifier/core';
import { readContextConfig, SimpleContext } from './simple-context.js';

export function mount(coordinator: Coordinator, config: JsonObject): void {
  const context = new SimpleContext(coordinator, readContextConfig(config, 'context-simple'));
  coordinator.mounts.mount('context', context);
}
