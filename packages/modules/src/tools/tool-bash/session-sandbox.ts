import type { Coordinator } from '@amplifier/core';
import { detectSandbox, type Sandbox } from '@amplifier/workspace';

declare module '@amplifier/core' {
  interface Capabilities {
    /** How commands of the session are confined. Absent: by the best this machine has. */
    'session.sandbox': Sandbox;
  }
}

/** The session's sandbox. What the machine has is found out when the first command needs it. */
export function sessionSandbox(coordinator: Coordinator): () => Promise<Sandbox> {
  return async () => coordinator.getCapability('session.sandbox') ?? detectSandbox();
}
