import type { Coordinator, Tool } from '@amplifier/core';

const DELEGATING = new WeakSet<Tool>();

/** Marks a tool that hands its call to the session's spawn capability and does nothing else. */
export function delegatingTool(tool: Tool): Tool {
  DELEGATING.add(tool);
  return tool;
}

/**
 * Is a call of this name a delegation that begins with a write to the session store? Not when another tool has the name, and
 * not when an app has put its own policy in place.
 */
export function beginsWithWrite(coordinator: Coordinator, name: string): boolean {
  const tool = coordinator.mounts.all('tools').get(name);
  if (!tool || !DELEGATING.has(tool)) return false;
  const own = coordinator.getCapability('session.delegation')?.delegate;
  return (
    own !== undefined &&
    coordinator.getCapability('session.spawn') === own &&
    coordinator.getCapability('session.resume') === own
  );
}
