import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AmplifierError, type Clock, errorInfo, isoTime, type Report, systemClock } from '@amplifier/core';
import { flatCopies, openSessionStore } from '@amplifier/sessions';
import { keepOutOfGit } from '@amplifier/workspace';
import type { Logger } from 'pino';
import { CollectionSync } from '../collections/collection-sync.js';
import { CollectionRegistry } from '../collections/registry.js';
import {
  type DaemonConfig,
  type DaemonHome,
  daemonHome,
  type Environment,
  readConfig,
  recordFile,
} from '../config.js';
import { FOLDER_MODE } from '../defaults.js';
import { EventStreams } from '../events/event-streams.js';
import { Idempotency } from '../http/idempotency.js';
import { countDeliveries, countEvents, openMetrics } from '../http/metrics.js';
import { MountPlans } from '../plans/mount-plans.js';
import { ActiveProfile } from '../profiles/active-profile.js';
import { collectGarbage } from '../profiles/collect-garbage.js';
import { LocalProfiles } from '../profiles/local-profiles.js';
import { ProfileStore } from '../profiles/profile-store.js';
import { RefResolver } from '../profiles/ref-resolver.js';
import { type OpenedRuns, openRuns } from '../runs/open-runs.js';
import type { Services } from '../services.js';
import { LogPool } from '../sessions/log-pool.js';
import { WorkingFolders } from '../sessions/working-folders.js';
import { VERSION } from '../version.js';
import { Webhooks } from '../webhooks/webhooks.js';
import { closeServer, listen, urlOf } from './listen.js';
import { LoopWatch } from './loop-watch.js';
import { McpMount } from './mcp-mount.js';
import { type DaemonLog, openLog } from './open-log.js';
import { DaemonSeat } from './running-daemon.js';
import { loadToken } from './token.js';

export interface StartOptions {
  environment?: Environment;
  cwd?: string;
  /** Members of the configuration that go before file and environment. */
  flags?: Record<string, unknown>;
  clock?: Clock;
  logger?: Logger;
}

/** A daemon that listens. */
export interface Daemon extends AsyncDisposable {
  url: string;
  token: string;
  /** The token was made just now: the one moment to show it. */
  token_created: boolean;
  home: DaemonHome;
  config: DaemonConfig;
  /** Resolves when the first sync is over. */
  ready: Promise<void>;
  /** Takes no more requests, lets those under way end, and gives the home free. */
  stop(): Promise<void>;
}

const COLLECTIONS = fileURLToPath(new URL('../../collections', import.meta.url));

/** Starts the daemon of a home. Rejects with `DAEMON_RUNNING` when there is one. */
export async function startDaemon(options: StartOptions = {}): Promise<Daemon> {
  const { environment = process.env, cwd = process.cwd(), flags = {}, clock = systemClock } = options;
  const home = daemonHome(environment, cwd);
  const config = await readConfig(home, environment, flags);
  refuseOpenHouse(config);
  for (const folder of Object.values(home)) await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  for (const folder of Object.values(home)) await keepOutOfGit(folder);
  const seat = await DaemonSeat.take(home);
  const opened: (() => Promise<unknown>)[] = [() => seat.leave()];
  try {
    const { token, created } = await loadToken(home, environment);
    const log: DaemonLog = options.logger
      ? { logger: options.logger, failure: () => null, close: async () => {} }
      : openLog(home, config.log_level);
    const { logger } = log;
    const state = { unready: 'The first sync is under way.' as string | null, notes: () => [] as string[] };
    const { services, opened: work } = await openServices({
      home,
      config,
      clock,
      logger,
      state,
      environment,
      cwd,
    });
    opened.unshift(() => closeServices(services, work));
    const watch = new LoopWatch(logger, work.underWay);
    opened.unshift(async () => watch.close());
    state.notes = () => [log.failure(), watch.news].filter((note) => note !== null);
    // So that listings, the stream of all sessions and the webhooks miss nothing.
    if (seat.afterCrash) await services.store.recover();
    // What ships with the daemon is there from the first request on; places that may not answer come later.
    await syncAndReport(services, 'local', logger);
    const idempotency = await Idempotency.open(join(home.state, 'idempotency'), clock, services.report);
    opened.unshift(async () => idempotency.close());
    const mcp = new McpMount({ cwd, environment, config, logger, folders: services.folders });
    const server = await listen(services, { token, idempotency, logger, mcp });
    work.serve();
    const url = urlOf(config, server);
    await seat.announce(url, clock);
    logger.info({ url, home: home.home, version: VERSION }, 'listening');
    const ready = syncAndReport(services, 'remote', logger)
      .then(() => tidyUp(services, logger))
      .finally(() => {
        state.unready = null;
      });
    let stopping: Promise<void> | undefined;
    const stop = () => {
      stopping ??= (async () => {
        state.unready = 'The daemon is stopping.';
        services.runs.stopWaiting();
        await services.events.close();
        await mcp.close();
        await closeServer(server, config, clock);
        await ready;
        for (const close of opened) await close();
        logger.info('stopped');
        await log.close();
      })();
      return stopping;
    };
    return { url, token, token_created: created, home, config, ready, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    for (const close of opened) await close();
    throw error;
  }
}

interface Opening {
  home: DaemonHome;
  config: DaemonConfig;
  clock: Clock;
  logger: Logger;
  state: { unready: string | null; notes(): string[] };
  environment: Environment;
  cwd: string;
}

async function openServices(opening: Opening): Promise<{ services: Services; opened: OpenedRuns }> {
  const { home, config, clock, logger, state, environment, cwd } = opening;
  const report: Report = ({ level, code, message }) =>
    logger[level === 'error' ? 'error' : 'warn']({ code }, message);
  const store = await openSessionStore(recordFile(home.state), {
    clock,
    report,
    copies: flatCopies(join(home.state, 'sessions')),
    adoptFrom: join(home.state, 'sessions'),
  });
  const logs = new LogPool(store, clock);
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
  const events = new EventStreams({
    ...config,
    store,
    clock,
    report,
    onError: (error) => logger.error({ error: errorInfo(error).message }, 'events'),
  });
  const metrics = await openMetrics();
  const webhooks = await Webhooks.open({
    folder: join(home.state, 'webhooks'),
    store,
    allow_private: config.allow_private_webhooks,
    version: VERSION,
    clock,
    random: Math.random,
    report,
  });
  countEvents(metrics, events);
  countDeliveries(metrics, webhooks);
  const folders = new WorkingFolders({ config, home, environment, cwd });
  const plans = new MountPlans({
    profiles,
    refs,
    store,
    logs,
    clock,
    limits: { max_depth, max_children },
    homes: folders.homes,
  });
  const opened = await openRuns({
    home,
    config,
    environment,
    folders,
    store,
    logs,
    plans,
    clock,
    report,
  });
  const services: Services = {
    home,
    config,
    clock,
    environment,
    cwd,
    folders,
    version: VERSION,
    started_at: isoTime(clock),
    report,
    store,
    logs,
    metrics,
    events,
    webhooks,
    profiles,
    registry,
    plans,
    runs: opened.runs,
    approvals: opened.approvals,
    active: new ActiveProfile(join(home.share, 'active_profile.txt'), profiles),
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
    notes: () => state.notes(),
    loops: async () => [...(await opened.health()), ...webhooks.health, events.health],
  };
  return { services, opened };
}

async function closeServices({ webhooks, logs, store, config }: Services, opened: OpenedRuns): Promise<void> {
  await opened.close(config.shutdown_timeout_ms);
  await webhooks.close();
  await logs.close();
  await store.close();
}

/** Failures are in the log and in what the collections say; the daemon serves what it has. */
async function syncAndReport(
  { sync, config }: Services,
  place: 'local' | 'remote',
  logger: Logger,
): Promise<void> {
  try {
    const report = await sync.sync({ update: config.sync_on_start, place });
    for (const problem of report.problems) logger.warn(problem, 'sync');
  } catch (error) {
    logger.error({ error: (error as Error).message }, 'the first sync failed');
  }
}

async function tidyUp({ profiles, store, config }: Services, logger: Logger): Promise<void> {
  try {
    await collectGarbage(profiles, store);
    await store.emptyTrash(config.trash_days);
  } catch (error) {
    logger.error(
      { error: (error as Error).message },
      'old versions and deleted sessions could not be removed',
    );
  }
}

function refuseOpenHouse({ host, insecure, tls_cert }: DaemonConfig): void {
  const isLoopback = host === 'localhost' || host === '::1' || host.startsWith('127.');
  if (isLoopback || insecure || tls_cert !== undefined) return;
  throw new AmplifierError(
    `Listening on ${host} would send the token over the network in clear text. Set tls_cert and tls_key, put TLS in front of a loopback address, or say --insecure.`,
    { code: 'INVALID_CONFIG' },
  );
}
