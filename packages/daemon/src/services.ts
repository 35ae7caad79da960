import type { Clock, LoopHealth, Report } from '@amplifier/core';
import type { LogPool, SessionRuns } from '@amplifier/host/runs';
import type { Backlog, SqlSessionStore, SqlShelf } from '@amplifier/sessions';
import type { Approvals } from './approvals/approvals.js';
import type { ScopedTokens } from './auth/scoped-tokens.js';
import type { SignInLinks } from './auth/sign-in-links.js';
import type { DaemonConfig, DaemonHome, Environment } from './config.js';
import type { EventStreams } from './events/event-streams.js';
import type { LivePeers } from './events/live-peers.js';
import type { Metrics } from './http/metrics.js';
import type { RateLimit } from './http/rate-limit.js';
import type { MountPlans } from './plans/mount-plans.js';
import type { ActiveProfile } from './profiles/active-profile.js';
import type { CollectionRegistry } from './profiles/collection-registry.js';
import type { CollectionSync } from './profiles/collection-sync.js';
import type { LocalProfiles } from './profiles/local-profiles.js';
import type { ProfileStore } from './profiles/profile-store.js';
import type { SessionRuntime } from './runs/session-runtime.js';
import type { RenderedSessions } from './sessions/rendered-sessions.js';
import type { WorkingFolders } from './sessions/working-folders.js';
import type { Audit } from './tenants/audit.js';
import type { Webhooks } from './webhooks/webhooks.js';

/** What the endpoints work with. */
export interface Services {
  home: DaemonHome;
  /** What browsers on this machine reach the daemon by, and nobody else knows. */
  local_name: string;
  config: DaemonConfig;
  clock: Clock;
  /** Of the daemon's process: what programs are looked for in. */
  environment: Environment;
  cwd: string;
  folders: WorkingFolders;
  version: string;
  started_at: string;
  /** Told of what was skipped or mended along the way. */
  report: Report;
  store: SqlSessionStore;
  /** What all daemons of the record share beside its sessions. */
  shelf: SqlShelf;
  /** Other daemons of the record; null where it is the daemon's own file. */
  peers: LivePeers | null;
  /** Null if no limit is set. */
  rateLimit: RateLimit | null;
  tokens: ScopedTokens;
  /** Who changed what. */
  audit: Audit;
  /** The same for one tenant: nothing of others is there. */
  of(tenant: string): Services;
  /** Links that sign a browser in. */
  links: SignInLinks;
  logs: LogPool;
  rendered: RenderedSessions;
  metrics: Metrics;
  events: EventStreams;
  webhooks: Webhooks;
  plans: MountPlans;
  profiles: ProfileStore;
  active: ActiveProfile;
  local: LocalProfiles;
  registry: CollectionRegistry;
  sync: CollectionSync;
  runs: SessionRuns;
  runtime: SessionRuntime;
  approvals: Approvals;
  /** Null when the daemon can serve everything, else why it cannot yet or any more. */
  unready(): string | null;
  /** What is amiss although the daemon serves: a log that cannot be written, a process that stood still. */
  notes(isOperator: boolean): string[];
  /** How much waits and runs at all daemons of the record. */
  backlog(): Promise<Backlog[]>;
  /** How everything is that serves for ever. */
  loops(): Promise<LoopHealth[]>;
}
