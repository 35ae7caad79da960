import { type Coordinator, errorInfo, type JsonObject } from '@amplifier/core';
import { FULL_GRANT, NoSandbox, type ProcessEnd, startProcess } from '@amplifier/workspace';
import { SHELL_HOOK_MAX_OUTPUT } from '../defaults.js';
import type { ShellHook } from './shell-hook.js';

/** Hook commands are the operator's own: the session's grant is not theirs. */
const OPERATORS_OWN = new NoSandbox('Hook commands belong to whoever runs the session, not to the session.');

/** Runs the command with the event on its input, and everything it started is gone afterwards. */
export async function runHookCommand(
  { command, timeout }: ShellHook,
  input: JsonObject,
  coordinator: Coordinator,
): Promise<ProcessEnd | { failed: string }> {
  try {
    const running = await startProcess({
      command: typeof command === 'string' ? ['sh', '-c', command] : command,
      cwd: coordinator.getCapability('session.working_dir') ?? process.cwd(),
      grant: FULL_GRANT,
      sandbox: OPERATORS_OWN,
      input: `${JSON.stringify(input)}\n`,
      timeoutMs: timeout * 1000,
      signal: coordinator.cancellation.signal,
      memoryBytes: SHELL_HOOK_MAX_OUTPUT,
      clock: coordinator.clock,
    });
    return await running.done;
  } catch (error) {
    return { failed: errorInfo(error).message };
  }
}
