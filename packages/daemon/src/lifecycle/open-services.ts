import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Clock,
  errorInfo,
  isoTime,
  type JsonObject,
  type LoopHealth,
  type Report,
} from '@amplifier/core';
import { LogPool } from '@amplifier/host/runs';
import { openRunQueue, openShelf, type SqlSessionStore } from '@amplifier/sessions';
import { flatCopies, liveFolder, openRecord } from '@amplifier/sessions/record';
import type { Logger } from 'pino';
import { ScopedTokens } from '../auth/scoped-tokens.js';
import { SignInLinks } from '../auth/sign-in-links.js';
import type { DaemonConfig, DaemonHome, Environment } from '../config.js';
import { EventStreams } from '../events/event-streams.js';
import { LivePeers } from '../events/live-peers.js';
import { countWork, openMetrics } from '../http/metrics.js';
import { RateLimit } from '../http/rate-limit.js';
import { HostPlans } from '../plans/host-plans.js';
import { MountPlans } from '../plans/mount-plans.js';
import { ActiveProfile } from '../profiles/active-profile.js';
import { CollectionRegistry } from '../profiles/collection-registry.js';
import { CollectionSync } from '../profiles/collection-sync.js';
import { LocalProfiles } from '../profiles/local-profiles.js';
import { ProfileStore } from '../profiles/profile-store.js';
import { RefResolver } from '../profiles/ref-resolver.js';
import { type OpenedRuns, openRuns } from '../runs/open-runs.js';
import type { SessionHosts } from '../runs/session-hosts.js';
import type { Services } from '../services.js';
import { RenderedSessions } from '../sessions/rendered-sessions.js';
import type { WorkingFolders } from '../sessions/working-folders.js';
import { Audit } from '../tenants/audit.js';
import { Budgets } from '../tenants/budgets.js';
import { tenantServices } from '../tenants/tenant-services.js';
import { VERSION } from '../version.js';
import { DELIVERY_LIMITS } from '../webhooks/deliveries.js';
import { DELIVERY } from '../webhooks/webhook-record.js';
import { Webhooks } from '../webhooks/webhooks.js';
import { connectionLimit } from './connection-limit.js';
import type { DaemonLock } from './running-daemon.js';

const COLLECTIONS = fileURLToPath(new URL('../../collections', import.meta.url));

/** What the services of a daemon are opened with. */
export interface Opening {
  home: DaemonHome;
  local_name: string;
  config: DaemonConfig;
  clock: Clock;
  logger: Logger;
  /** What is known only when the daemon is nearly up. */
  state: { unready: string | null; notes(isOperator: boolean): string[]; loops(): LoopHealth[] };
  environment: Environment;
  cwd: string;
  folders: WorkingFolders;
  lock: DaemonLock;
  offline: boolean;
}

/** Opens everything that requests and loops are served with. */
export async function openServices(
  opening: Opening,
): Promise<{ services: Services; opened: OpenedRuns; budgets: Budgets }> {
  const { home, local_name, config, clock, logger, state, environment, cwd, folders, lock } = opening;
  const report: Report = ({ level, code, message }) =>
    logger[level === 'error' ? 'error' : 'warn']({ code }, message);
  // The plans need the store, and the hosts need the plans: what is copied before they are there is copied as it is stored.
  const known: { plans?: MountPlans; hosts?: SessionHosts } = {};
  const store = await openStore(
    opening,
    report,
    async (session_id) => (await known.plans?.file(session_id)) ?? null,
  );
  const logs = new LogPool(store, clock, home.isShared ? 0 : undefined);
  const profiles = new ProfileStore(home.share);
  await profiles.sweep();
  const refs = new RefResolver({
    cacheDir: join(home.cache, 'sources'),
    roots: [home.home, home.share, ...config.source_roots],
    allowPrivate: config.allow_private_refs,
    clock,
    report,
  });
  const registry = new CollectionRegistry(join(home.share, 'collections.yaml'), clock);
  await registry.ensure([{ id: 'foundation', source: 'bundled:foundation' }]);
  const { max_depth, max_children } = config;
  const shelf = await openShelf(home.record, { clock });
  const peers = home.places === null ? null : new LivePeers({ shelf, clock, report });
  const { rate_limit_per_second: per_second } = config;
  const rateLimit =
    per_second > 0 ? new RateLimit({ per_second, shelf: peers ? shelf : null, clock, report }) : null;
  const events = new EventStreams({
    ...config,
    // Streams leave a quarter of the connections to other requests.
    max_followers: Math.min(config.max_followers, Math.floor(connectionLimit() * 0.75)),
    store,
    live_folder: peers ? null : liveFolder(home.record),
    peers,
    clock,
    report,
    onError: (error) => logger.error({ error: errorInfo(error).message }, 'events'),
  });
  const metrics = await openMetrics();
  const queue = await openRunQueue(home.record, {
    places: home.places,
    limits: (tenant, kind) => {
      if (kind === DELIVERY) return DELIVERY_LIMITS;
      const { max_active: all, each_token } = config.tenants[tenant] ?? {};
      return { all, each: each_token?.max_active };
    },
    clock,
  });
  const webhooks = new Webhooks({
    ...{ queue, shelf, store, clock, report },
    allow_private: config.allow_private_webhooks,
    version: VERSION,
  });
  await webhooks.start();
  const plans = new MountPlans({
    profiles,
    refs,
    store,
    logs,
    clock,
    limits: { max_depth, max_children },
    homes: folders.homes,
    users: new HostPlans(home.isUsers, () => known.hosts as SessionHosts),
  });
  known.plans = plans;
  const { budgets, release } = await Budgets.open(home.record, config.tenants, clock);
  const { audit, release: releaseAudit } = await Audit.open(home.record, clock, config.audit_days);
  const opened = await openRuns({
    ...{ ...opening, store, queue, logs, plans, report, budgets },
    kinds: webhooks.kinds,
  });
  known.hosts = opened.runtime.hosts;
  countWork(metrics, { events, webhooks, backlog: opened.backlog });
  const tenants = new Map<string, Services>();
  const services: Services = {
    home,
    local_name,
    config,
    clock,
    environment,
    cwd,
    folders,
    version: VERSION,
    started_at: isoTime(clock),
    report,
    store,
    shelf,
    peers,
    rateLimit,
    tokens: new ScopedTokens(shelf, () => clock.now()),
    audit,
    of(tenant) {
      const bound = tenants.get(tenant) ?? tenantServices(services, { store, queue }, tenant);
      tenants.set(tenant, bound);
      return bound;
    },
    links: new SignInLinks(shelf, clock),
    logs,
    rendered: new RenderedSessions(),
    metrics,
    events,
    webhooks,
    profiles,
    registry,
    plans,
    runs: opened.runs,
    runtime: opened.runtime,
    approvals: opened.approvals,
    active: new ActiveProfile(join(home.share, 'active_profile.txt'), profiles, home.isUsers),
    local: new LocalProfiles(home.share),
    sync: new CollectionSync({
      registry,
      refs,
      store: profiles,
      clock,
      share: home.share,
      bundledDir: COLLECTIONS,
    }),
    unready: () => state.unready,
    notes: (isOperator) => state.notes(isOperator),
    backlog: opened.backlog,
    loops: async () => [
      ...(await opened.health()),
      ...webhooks.health,
      ...events.health,
      ...(peers?.health ?? []),
      ...(rateLimit?.health ?? []),
      opened.approvals.health,
      ...store.health,
      lock.health,
      ...state.loops(),
    ],
  };
  const close = async (graceMs: number) => {
    await opened.close(graceMs);
    await release();
    await releaseAudit();
  };
  return { services, opened: { ...opened, close }, budgets };
}

/** The sessions of a deployment with their copies beside them, or those of all of the user's projects. */
async function openStore(
  { home, config, clock, cwd, environment }: Opening,
  report: Report,
  planOf: (session_id: string) => Promise<JsonObject | null>,
): Promise<SqlSessionStore> {
  if (home.isUsers) {
    const { hostPaths, openAllProjects } = await import('@amplifier/host');
    const { store, queue } = await openAllProjects(hostPaths(cwd, environment), report, environment);
    await queue.close();
    return store;
  }
  return openRecord(home.record, {
    place: home.places?.[0] ?? null,
    clock,
    report,
    copies: { ...flatCopies(join(home.state, 'sessions')), planOf, isOff: !config.readable_copies },
    adoptFrom: join(home.state, 'sessions'),
  });
}

/** In the order in which they are to be closed. */
export function closersOf(
  { webhooks, logs, store, shelf, peers, rateLimit }: Services,
  opened: OpenedRuns,
  graceMs: () => number,
): (() => Promise<unknown>)[] {
  return [
    () => webhooks.close(),
    () => opened.close(graceMs()),
    async () => peers?.close(),
    async () => rateLimit?.close(),
    () => logs.close(),
    () => shelf.close(),
    () => store.close(),
  ];
}
