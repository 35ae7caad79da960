import type { Clock, LoopHealth, Report } from '@amplifier/core';
import type { RunKind } from '@amplifier/delegation';
import { type LogPool, type RunPolicy, SessionRuns } from '@amplifier/host/runs';
import type { Backlog, SessionStore, SqlRunQueue } from '@amplifier/sessions';
import { Approvals } from '../approvals/approvals.js';
import type { DaemonConfig, DaemonHome, Environment } from '../config.js';
import type { MountPlans } from '../plans/mount-plans.js';
import type { WorkingFolders } from '../sessions/working-folders.js';
import type { Budgets } from '../tenants/budgets.js';
import { SessionHosts } from './session-hosts.js';
import { SessionRuntime } from './session-runtime.js';

export interface RunsOptions {
  home: DaemonHome;
  config: DaemonConfig;
  environment: Environment;
  folders: WorkingFolders;
  store: SessionStore;
  /** Is closed with the runs. */
  queue: SqlRunQueue;
  /** What else its worker executes. */
  kinds: Readonly<Record<string, RunKind>>;
  logs: LogPool;
  plans: MountPlans;
  clock: Clock;
  report: Report;
  offline: boolean;
  budgets: Budgets;
}

/** All that has to do with runs, opened together and closed together. */
export interface OpenedRuns {
  runs: SessionRuns;
  runtime: SessionRuntime;
  approvals: Approvals;
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
  const { home, store, queue, kinds, logs, clock, report, budgets } = options;
  const { max_active, max_queued, on_restart = 'interrupt' } = options.config.runs;
  const hosts: SessionHosts = new SessionHosts({
    ...options,
    onQuestion: (question) => approvals.asked(question),
  });
  const runtime = new SessionRuntime({ ...options, hosts });
  const approvals = new Approvals({ store, queue, hosts, config: options.config.approvals, clock, report });
  const policy: RunPolicy = {
    admit: (tenant, caller) => budgets.check(tenant, caller),
    limits: (limits, { tenant, caller }) => budgets.within(limits, tenant, caller),
    prepare: (session) => runtime.prepare(session),
    requireTrust: (session, mode) => runtime.requireTrust(session, mode),
    isElsewhere: (session) => runtime.isElsewhere(session),
  };
  const runs = new SessionRuns({
    ...{ store, queue, kinds, logs, hosts, policy, clock, report },
    limits: { max_active, max_queued },
    onRestart: on_restart,
    isShared: home.isShared,
  });
  return {
    runtime,
    runs,
    approvals,
    backlog: () => queue.backlog({ but: Object.keys(kinds) }),
    async health() {
      if (hosts.opened.length === 0) return runs.health;
      // Loaded by now. One for all sessions of the process, whichever host they run in.
      const { SessionMail } = await import('@amplifier/delegation');
      return [...runs.health, SessionMail.health];
    },
    serve() {
      runs.start();
      approvals.start();
    },
    async close(graceMs) {
      approvals.close();
      try {
        await runs.close(graceMs);
      } finally {
        await hosts.close().finally(() => queue.close());
      }
    },
  };
}
