import { programPath } from '@amplifier/core';
import type { FetchContext } from './source-fetcher.js';

export interface CommandResult {
  exit_code: number;
  stdout: string;
  stderr: string;
}

/** What a wedged process gets between the polite and the final signal. */
const KILL_AFTER_MS = 2_000;

/**
 * Programs read settings from the folder they run in: npm its `.npmrc`, git those of the repository. `cwd` is therefore never the
 * folder that a person works in.
 */
interface CommandOptions {
  cwd: string;
  onStderr?: (text: string) => void;
}

/** Runs a program until it ends or the signal aborts, which it rejects with. Output on stderr is shown as it comes. */
export async function runCommand(
  command: string,
  args: readonly string[],
  { signal, clock, environment }: Pick<FetchContext, 'signal' | 'clock' | 'environment'>,
  { cwd, onStderr = () => {} }: CommandOptions,
): Promise<CommandResult> {
  signal.throwIfAborted();
  const { x } = await import('tinyexec');
  const running = x(command, args, {
    // Else a program in the node_modules of what was just fetched would be found before the system's.
    nodePath: false,
    nodeOptions: {
      env: { ...environment, PATH: programPath(environment.PATH) },
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd,
    },
  });
  running.process?.stderr?.on('data', (bytes: Buffer) => onStderr(bytes.toString()));
  let cancelKill = () => {};
  const stop = () => {
    running.kill('SIGTERM');
    cancelKill = clock.after(KILL_AFTER_MS, () => running.kill('SIGKILL'));
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const { stdout, stderr, exitCode } = await running;
    signal.throwIfAborted();
    return { exit_code: exitCode ?? 1, stdout, stderr };
  } finally {
    cancelKill();
    signal.removeEventListener('abort', stop);
  }
}
