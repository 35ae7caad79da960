import { setFlagsFromString } from 'node:v8';
import { HEAP_GROWTH_PERCENT } from '../defaults.js';
import { print as printLine } from './print.js';
import { type Daemon, type StartOptions, startDaemon } from './start-daemon.js';
import { Supervisor } from './supervisor.js';

/** Runs the daemon in the foreground until it is told to stop. This is `amplifierd serve`, and `amplifier serve`. */
export async function runServe(
  options: StartOptions = {},
  print: (line: string) => void = printLine,
): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  const daemon = await startDaemon(options);
  announce(daemon, print);
  const supervisor = new Supervisor(daemon.config.shutdown_timeout_ms);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  supervisor.stopping();
  print('Stopping. A second signal ends it at once.');
  // Whoever asks twice does not want to wait for what hangs.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  await daemon.stop();
  await supervisor.close();
}

function announce({ url, token, token_created, home }: Daemon, print: (line: string) => void): void {
  if (token_created) print(`Token (shown once; amplifierd token prints it again): ${token}`);
  print(`amplifierd listens on ${url}, API description at ${url}/docs, home ${home.home}`);
}
