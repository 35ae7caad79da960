import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { errorInfo, type ProcessIdentity, type Report } from '@amplifier/core';
import { hasCode, type RunQueue } from '@amplifier/sessions';
import { leaseHolder, takeLease } from '@amplifier/sessions/record';
import { WORKER_IDLE_MS } from '../defaults.js';
import { type HostPaths, recordOf } from '../host-paths.js';
import type { Project } from '../project/project.js';
import { placeDatabase } from '../store/place-database.js';
import type { BackgroundWork } from './background-work.js';

/** How to start this program as a worker: the program and its first arguments. */
export interface WorkerCommand {
  program: string;
  args: readonly string[];
}

/** The right to be the worker of a project, as the record has it. */
async function leaseOf(sessions: string): Promise<{ file: string; name: string }> {
  const { file, project } = recordOf(sessions);
  await placeDatabase(file);
  return { file, name: `worker ${project}` };
}

/** Who works on what waits in the background of a project; null when nobody does. */
export async function backgroundWorker({
  sessions,
}: Pick<HostPaths, 'sessions'>): Promise<ProcessIdentity | null> {
  const { file, name } = await leaseOf(sessions);
  return leaseHolder(file, name);
}

/**
 * Sees to it that a process of its own runs what waits in the queue. It outlives this one, belongs to no terminal, and writes what it
 * has to say to a log. Where one is at work it is left to that one.
 */
export class WorkerStarter {
  readonly #command: WorkerCommand;
  readonly #paths: HostPaths;
  readonly #offline: boolean;
  readonly #report: Report;
  /** One that was started here and has not ended. */
  #worker: ChildProcess | null = null;
  /** Somebody relied on it before it was seen at work: it may have been about to end. */
  #isReliedOn = false;
  #waking: Promise<void> | null = null;

  constructor(command: WorkerCommand, paths: HostPaths, offline: boolean, report: Report) {
    this.#command = command;
    this.#paths = paths;
    this.#offline = offline;
    this.#report = report;
  }

  /** What waits is on disk before this is called: a worker that is about to end looks once more after it has given up its right. */
  wake(): void {
    this.#waking ??= this.#wake()
      .catch((error) =>
        this.#report({
          level: 'error',
          code: 'WORKER_NOT_STARTED',
          message: errorInfo(error).message,
          error,
        }),
      )
      .finally(() => {
        this.#waking = null;
      });
  }

  /** Resolves when whoever was woken is there. */
  async close(): Promise<void> {
    await this.#waking;
  }

  async #wake(): Promise<void> {
    if (await backgroundWorker(this.#paths)) return;
    if (this.#worker) {
      this.#isReliedOn = true;
      return;
    }
    const { program, args } = this.#command;
    const { logs, cwd } = this.#paths;
    mkdirSync(logs, { recursive: true, mode: 0o700 });
    const log = openSync(join(logs, 'worker.log'), 'a', 0o600);
    try {
      const flags = ['--cwd', cwd, ...(this.#offline ? ['--offline'] : [])];
      const worker = spawn(program, [...args, 'worker', ...flags], {
        cwd,
        detached: true,
        stdio: ['ignore', log, log],
      });
      this.#worker = worker;
      worker.once('exit', () => {
        this.#worker = null;
        if (this.#isReliedOn) this.wake();
        this.#isReliedOn = false;
      });
      worker.once('error', (error) => {
        this.#worker = null;
        this.#report({ level: 'error', code: 'WORKER_NOT_STARTED', message: error.message, error });
      });
      worker.unref();
    } finally {
      closeSync(log);
    }
  }
}

/** A host whose queue is served. */
interface BackgroundHost {
  background: BackgroundWork;
  queue: RunQueue;
  project: Project;
}

/**
 * Runs what waits in the line and ends when nothing has waited or run for a while, when the signal aborts, or at once where another
 * worker is at it.
 */
export async function serveBackground(
  host: BackgroundHost,
  signal: AbortSignal,
  idleMs = WORKER_IDLE_MS,
): Promise<void> {
  const { queue, project } = host;
  const { file, name } = await leaseOf(project.paths.sessions);
  for (;;) {
    const lease = await takeLease(file, name).catch((error) => {
      if (hasCode(error, 'SESSION_LOCKED')) return null;
      throw error;
    });
    if (!lease) return;
    try {
      await serveUntilIdle(host, signal, idleMs);
    } finally {
      await lease.release();
    }
    // Whoever put something in the line while we had the right relied on us.
    if (signal.aborted || (await queue.list({ status: 'queued', limit: 1 })).length === 0) return;
  }
}

async function serveUntilIdle(
  { background, queue, project }: BackgroundHost,
  signal: AbortSignal,
  idleMs: number,
): Promise<void> {
  const idle = new AbortController();
  const stop = AbortSignal.any([signal, idle.signal]);
  background.wake();
  let quietSince = Date.now();
  const look = async () => {
    const open = await queue.list({ status: ['queued', 'running'], limit: 1 });
    if (open.length > 0) quietSince = Date.now();
    else if (Date.now() - quietSince >= idleMs) idle.abort();
  };
  const report = (error: unknown) =>
    project.report({ level: 'error', code: 'BACKGROUND_FAILED', message: errorInfo(error).message, error });
  // A look that fails does not end the worker: the next one may succeed.
  const timer = setInterval(() => void look().catch(report), idleMs / 5);
  try {
    if (!stop.aborted) await once(stop, 'abort');
    await background.close();
  } finally {
    clearInterval(timer);
  }
}
