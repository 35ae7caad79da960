import { join } from 'node:path';
import { type Coordinator, errorInfo, type JsonObject } from '@amplifier/core';
import { commandEnv, type ProcessEnd, type Sandbox, startProcess } from '@amplifier/workspace';
import { configuredGrant, grantOf } from '../../tools/session-grant.js';
import { SHELL_HOOK_MAX_OUTPUT } from '../defaults.js';
import type { ShellHook } from './shell-hook.js';

/**
 * Runs the command with the event on its input, and everything it started is gone afterwards. It may do what the session may do, in
 * the same sandbox: whoever got a hook into a plan gets no more out of it than the session has.
 */
export async function runHookCommand(
  { command, timeout, claude }: ShellHook,
  input: JsonObject,
  coordinator: Coordinator,
  sandbox: () => Promise<Sandbox>,
): Promise<ProcessEnd | { failed: string }> {
  const cwd = coordinator.getCapability('session.working_dir') ?? process.cwd();
  try {
    const running = await startProcess({
      command: typeof command === 'string' ? ['sh', '-c', command] : command,
      cwd,
      visible: [cwd],
      ...(claude ? { env: { ...commandEnv(), ...placesOf(cwd) } } : {}),
      grant: configuredGrant(grantOf({ coordinator })),
      sandbox: await sandbox(),
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

/** What commands that were written for Claude Code, or for `hook-shell` of the Python Amplifier, find their files by. */
function placesOf(cwd: string): Record<string, string> {
  return {
    CLAUDE_PROJECT_DIR: cwd,
    AMPLIFIER_PROJECT_DIR: cwd,
    AMPLIFIER_HOOKS_DIR: join(cwd, '.amplifier', 'hooks'),
  };
}
