import type { Coordinator } from '@amplifier/core';
import { SimpleContext } from './simple-context.js';

export function mount(coordinator: Coordinator): void {
  coordinator.mounts.mount('context', new SimpleContext(coordinator));
}
