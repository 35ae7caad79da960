import type { Coordinator } from '@amplifier/core';
import { detectSandbox, type Sandbox } from '@amplifier/workspace';

declare module '@amplifier/core' {
  interface Capabilities {
    /** How commands of the session are confined. Absent: by the best this machine has. */
    'session.sandbox': Sandbox;
  }
}

/** The session's sandbox. What the machine has is found out once, when the first command needs it. */
export function sessionSandbox(coordinator: Coordinator): () => Promise<Sandbox> {
  let detected: Promise<Sandbox> | undefined;
  return async () => {
    const given = coordinator.getCapability('session.sandbox');
    if (given) return given;
    detected ??= detectSandbox();
    return detected;
  };
}
