import { spawn } from 'node:child_process';
import { mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Delegator } from '@amplifier/delegation';
import type { RunQueue } from '@amplifier/sessions';
import { WORKER_IDLE_MS } from './defaults.js';
import type { HostPaths } from './host-paths.js';

/** How to start this program as a worker: the program and its first arguments. */
export interface WorkerCommand {
  program: string;
  args: readonly string[];
}

/**
 * Starts a process of its own that runs what waits in the queue. It outlives this one, belongs to no terminal, and writes
 * what it has to say to a log. One too many does no harm: it finds nothing to do and ends.
 */
export function startWorker({ program, args }: WorkerCommand, paths: HostPaths, offline: boolean): void {
  mkdirSync(paths.logs, { recursive: true, mode: 0o700 });
  const log = openSync(join(paths.logs, 'worker.log'), 'a', 0o600);
  const flags = ['--cwd', paths.cwd, ...(offline ? ['--offline'] : [])];
  const worker = spawn(program, [...args, 'worker', ...flags], {
    cwd: paths.cwd,
    detached: true,
    stdio: ['ignore', log, log],
  });
  worker.unref();
}

/** Runs what waits in the line and ends when nothing has waited or run for a while, or when the signal aborts. */
export async function serveBackground(
  delegator: Delegator,
  queue: RunQueue,
  signal: AbortSignal,
  idleMs = WORKER_IDLE_MS,
): Promise<void> {
  const idle = new AbortController();
  const stop = AbortSignal.any([signal, idle.signal]);
  const serving = delegator.background?.serve(stop) ?? Promise.resolve();
  let quietSince = Date.now();
  const look = setInterval(async () => {
    const open = await queue.list({ status: ['queued', 'running'], limit: 1 });
    if (open.length > 0) quietSince = Date.now();
    else if (Date.now() - quietSince >= idleMs) idle.abort();
  }, idleMs / 5);
  try {
    await serving;
  } finally {
    clearInterval(look);
  }
}
