import { setFlagsFromString } from 'node:v8';
import { superviseProcess } from '@amplifier/core';
import { HEAP_GROWTH_PERCENT } from '../defaults.js';
import { print as printLine } from './print.js';
import { runBelowFirst } from './run-below-first.js';
import { type Daemon, type StartOptions, startDaemon } from './start-daemon.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Runs the daemon in the foreground until it is told to stop. This is `amplifierd serve`, and, with `users`, `amplifier serve`. */
export async function runServe(
  options: StartOptions = {},
  print: (line: string) => void = printLine,
): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  if (process.pid === 1) return runBelowFirst();
  // Until it listens a signal ends the process as it ends any other, whatever it is doing.
  const daemon = await startDaemon(options);
  announce(daemon, print);
  if (daemon.home.isUsers) await nameEarlierHomes(options, print);
  const supervisor = superviseProcess('amplifierd', daemon.config.shutdown_timeout_ms);
  await new Promise<void>((resolve) => {
    // Not `once`: libraries that find no other listener while they handle a signal end the process.
    for (const signal of SIGNALS) process.on(signal, () => resolve());
  });
  supervisor.stopping();
  print('Stopping. A second signal ends it immediately.');
  for (const signal of SIGNALS) process.on(signal, () => process.exit(1));
  // The supervisor watches on until the process is over: something that was left open may keep it alive.
  await daemon.stop();
}

function announce({ url, token, token_created, warning, home }: Daemon, print: (line: string) => void): void {
  if (warning !== null) print(warning);
  if (url.startsWith('worker')) {
    print(`amplifierd is ready as ${url}, home ${home.home}`);
    return;
  }
  if (token_created)
    print(
      `Token (shown once; ${home.isUsers ? 'amplifier serve token' : 'amplifierd token'} prints it again): ${token}`,
    );
  print(
    `${home.isUsers ? 'amplifier' : 'amplifierd'} listens on ${url}, API description at ${url}/docs, home ${home.home}`,
  );
}

/** Sessions of servers on homes of their own are not the user's until they are imported. */
async function nameEarlierHomes(
  { cwd = process.cwd(), environment = process.env }: StartOptions,
  print: (line: string) => void,
): Promise<void> {
  const { earlierHomes } = await import('@amplifier/host');
  for (const home of earlierHomes(cwd, environment))
    print(`${home} holds sessions of another server. To import them: amplifier session import ${home}`);
}
