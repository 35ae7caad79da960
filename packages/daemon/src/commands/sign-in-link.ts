import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { AmplifierError } from '@amplifier/core';
import type { Scope } from '../auth/scope.js';
import { loadToken } from '../auth/token.js';
import type { DaemonHome, Environment } from '../config.js';
import { FILE_MODE, FOLDER_MODE, START_LIMIT_MS } from '../defaults.js';
import { findRunning, type RunningDaemon } from '../lifecycle/running-daemon.js';

const LOOK_AGAIN_MS = 50;
/** What a daemon that could not start has said last is enough to know why. */
const LAST_WORDS = 2_000;

/** How to start the daemon of a home: the program, its arguments and where. */
export interface StartCommand {
  program: string;
  args: readonly string[];
  cwd: string;
}

/** A link that signs a browser in to the running daemon of a home, once and within a minute. */
export async function signInLink(
  home: DaemonHome,
  environment: Environment,
  { url }: RunningDaemon,
  scope: Scope,
): Promise<string> {
  const { token } = await loadToken(home, environment);
  const response = await fetch(`${url}/api/v1/sign-in/links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ scope }),
  });
  const answer = (await response.json()) as { url?: string; detail?: string };
  if (answer.url) return answer.url;
  throw new AmplifierError(answer.detail ?? `The daemon answered ${response.status}.`, {
    code: 'SIGN_IN_REFUSED',
  });
}

/** The daemon of a home, started as a process of its own where none runs. It outlives this one and belongs to no terminal. */
export async function ensureRunning(home: DaemonHome, command: StartCommand): Promise<RunningDaemon> {
  const running = await findRunning(home);
  if (running) return running;
  mkdirSync(home.log, { recursive: true, mode: FOLDER_MODE });
  const path = join(home.log, 'start.log');
  const log = openSync(path, 'w', FILE_MODE);
  let ended: string | null = null;
  const process = spawn(command.program, command.args, {
    cwd: command.cwd,
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  process.once('error', ({ message }) => {
    ended = message;
  });
  process.once('exit', (code, signal) => {
    ended = `it ended with ${signal ?? code}`;
  });
  process.unref();
  for (let waited = 0; ended === null && waited < START_LIMIT_MS; waited += LOOK_AGAIN_MS) {
    await wait(LOOK_AGAIN_MS);
    const found = await findRunning(home);
    if (found) return found;
  }
  // Somebody else may have started one at the same time.
  const other = await findRunning(home);
  if (other) return other;
  const said = readFileSync(path, 'utf8').slice(-LAST_WORDS).trim();
  throw new AmplifierError(
    `The daemon of ${home.home} could not be started: ${said || ended || 'it does not answer'}. See ${path}.`,
    { code: 'DAEMON_NOT_STARTED', origin: home.home },
  );
}
