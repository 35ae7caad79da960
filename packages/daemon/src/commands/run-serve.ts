import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { superviseProcess } from '@amplifier/core';
import { HEAP_GROWTH_PERCENT } from '../defaults.js';
import { type Daemon, type StartOptions, startDaemon } from '../lifecycle/start-daemon.js';
import { print as printLine } from './print.js';

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

/**
 * Runs this very command as a child, and ends as it ends. The first process of a container is not ended by a signal that it does not
 * listen to, and by none at all that comes from inside; the daemon has to be, in every state.
 */
async function runBelowFirst(): Promise<void> {
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void child.kill(signal));
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0));
}
