import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';

/**
 * Runs this very command as a child, and ends as it ends. The first process of a container is not ended by a signal that it does not
 * listen to, and by none at all that comes from inside; the daemon has to be, in every state.
 */
export async function runBelowFirst(): Promise<void> {
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void child.kill(signal));
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0));
}
