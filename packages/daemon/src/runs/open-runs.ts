import type { Clock, LoopHealth, Report } from '@amplifier/core';
import { type Backlog, openRunQueue, type SessionStore, type SqlRunQueue } from '@amplifier/sessions';
import { Approvals } from '../approvals/approvals.js';
import type { DaemonConfig, DaemonHome, Environment } from '../config.js';
import type { MountPlans } from '../plans/mount-plans.js';
import type { LogPool } from '../sessions/log-pool.js';
import type { WorkingFolders } from '../sessions/working-folders.js';
import type { Budgets } from '../tenants/budgets.js';
import { RunExecutor } from './run-executor.js';
import { RunJournal } from './run-journal.js';
import { Runs } from './runs.js';
import { SessionHosts } from './session-hosts.js';
import { SessionRuntime } from './session-runtime.js';

export interface RunsOptions {
  home: DaemonHome;
  config: DaemonConfig;
  environment: Environment;
  folders: WorkingFolders;
  store: SessionStore;
  logs: LogPool;
  plans: MountPlans;
  clock: Clock;
  report: Report;
  offline: boolean;
  budgets: Budgets;
}

/** All that has to do with runs, opened together and closed together. */
export interface OpenedRuns {
  /** All that waits and runs. */
  queue: SqlRunQueue;
  runs: Runs;
  runtime: SessionRuntime;
  approvals: Approvals;
  /** What is being worked on at this moment. */
  underWay(): string[];
  /** How much waits and runs at all daemons of the record. */
  backlog(): Promise<Backlog[]>;
  /** How its loops are, those of children in the background included. */
  health(): Promise<LoopHealth[]>;
  /** Begins to work. */
  serve(): void;
  /** Lets what runs end within so many milliseconds, and leaves the rest for the next start. */
  close(graceMs: number): Promise<void>;
}

export async function openRuns(options: RunsOptions): Promise<OpenedRuns> {
  const { home, store, logs, clock, report, budgets } = options;
  const config = options.config.runs;
  const queue = await openRunQueue(home.record, {
    // How often is often enough is decided where what a run began can be ended, too.
    maxAttempts: Number.POSITIVE_INFINITY,
    places: home.places,
    limits: (tenant) => {
      const { max_active: all, each_token } = options.config.tenants[tenant] ?? {};
      return { all, each: each_token?.max_active };
    },
    clock,
  });
  const hosts: SessionHosts = new SessionHosts({
    ...options,
    queue,
    onQuestion: (question) => approvals.asked(question),
  });
  const runtime = new SessionRuntime({ ...options, hosts });
  const approvals = new Approvals({ store, queue, hosts, config: options.config.approvals, clock, report });
  const journal = new RunJournal(store, logs, home.isShared);
  const executor = new RunExecutor({
    isShared: home.isShared,
    store,
    logs,
    journal,
    runtime,
    config,
    queue,
    budgets,
    clock,
    report,
  });
  return {
    queue,
    runtime,
    runs: new Runs({ store, queue, executor, runtime, logs, config, budgets, clock }),
    approvals,
    underWay: () => executor.underWay,
    backlog: () => queue.backlog(),
    async health() {
      const background = hosts.opened.flatMap(({ delegator }) => delegator.background?.health ?? []);
      if (hosts.opened.length === 0) return executor.health;
      // Loaded by now. One for all sessions of the process, whichever host they run in.
      const { SessionMail } = await import('@amplifier/delegation');
      return [...executor.health, ...background, SessionMail.health];
    },
    serve() {
      executor.serve();
      approvals.start();
    },
    async close(graceMs) {
      approvals.close();
      try {
        await executor.close(graceMs);
      } finally {
        await hosts.close().finally(() => queue.close());
      }
    },
  };
}
