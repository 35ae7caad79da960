import { mkdir } from 'node:fs/promises';
import { AmplifierError, type Clock, errorInfo, systemClock } from '@amplifier/core';
import { keepOutOfGit } from '@amplifier/workspace';
import type { Logger } from 'pino';
import { loadLocalName, loadToken } from '../auth/token.js';
import {
  type DaemonConfig,
  type DaemonHome,
  daemonHome,
  type Environment,
  homeFolders,
  readConfig,
  usersHome,
} from '../config.js';
import { FOLDER_MODE } from '../defaults.js';
import { Idempotency } from '../http/idempotency.js';
import { collectGarbage } from '../profiles/collect-garbage.js';
import { McpMount } from '../routes/mcp-mount.js';
import type { Services } from '../services.js';
import { WorkingFolders } from '../sessions/working-folders.js';
import { VERSION } from '../version.js';
import { closeServer, listen, urlOf } from './listen.js';
import { CODE_LOADED, loadLazyChunks } from './load-lazy-chunks.js';
import { LoopWatch } from './loop-watch.js';
import { type DaemonLog, openLog } from './open-log.js';
import { closersOf, type Opening, openServices } from './open-services.js';
import { placeRecordOf } from './place-record.js';
import { DaemonLock } from './running-daemon.js';

export interface StartOptions {
  environment?: Environment;
  cwd?: string;
  /** Serve the user's own sessions, settings and providers, as `amplifier serve` does, not a home of the server's own. */
  users?: boolean;
  /** Run sessions on the provider that needs no model. */
  offline?: boolean;
  /** Execute runs that others took on, and listen nowhere. */
  isWorker?: boolean;
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
  /** What the operator should know of where the home lies; null when there is nothing. */
  warning: string | null;
  home: DaemonHome;
  config: DaemonConfig;
  /** Resolves when the first sync is over. */
  ready: Promise<void>;
  /** Takes no more requests, lets those under way end, and gives the home free. */
  stop(): Promise<void>;
}

/** Starts the daemon of a home. Rejects with `DAEMON_RUNNING` when there is one. */
export async function startDaemon(options: StartOptions = {}): Promise<Daemon> {
  const { environment = process.env, cwd = process.cwd(), flags = {}, clock = systemClock } = options;
  const { users = false, offline = false, isWorker = false } = options;
  const ownHome = users ? await usersHome(environment, cwd) : daemonHome(environment);
  // A person is asked at other entry points, too, and may take their time.
  const defaults = users ? { approvals: { timeout_seconds: null } } : {};
  const written = await readConfig(ownHome, environment, flags, defaults);
  const home = await placeRecordOf(ownHome, environment, written);
  const config = withRestart(written, home);
  if (isWorker) refuseLonely(home);
  else refuseOpenHouse(config);
  const folders = new WorkingFolders({ config, home, environment, cwd });
  const warning = await folders.refuseHomeBelow(home);
  folders.refuseExposed();
  for (const folder of homeFolders(home)) await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  for (const folder of homeFolders(home)) await keepOutOfGit(folder);
  const lock = await DaemonLock.take(home);
  const opened: (() => Promise<unknown>)[] = [() => lock.leave()];
  try {
    const { token, created } = await loadToken(home, environment);
    const local_name = await loadLocalName(home);
    const log: DaemonLog = options.logger
      ? { logger: options.logger, failure: () => null, close: async () => {} }
      : openLog(home, config.log_level);
    const { logger } = log;
    if (warning !== null) logger.warn({ code: 'HOME_BELOW_WORK' }, warning);
    const state: Opening['state'] = {
      unready: 'The first sync is in progress.',
      notes: () => [],
      loops: () => [],
    };
    const {
      services,
      opened: work,
      budgets,
    } = await openServices({
      home,
      local_name,
      config,
      clock,
      logger,
      state,
      environment,
      cwd,
      folders,
      lock,
      offline,
    });
    // One grace for all that is under way: whoever is closed later gets what is left of it.
    let graceEnd = 0;
    opened.unshift(...closersOf(services, work, () => Math.max(0, graceEnd - clock.now())));
    const watch = new LoopWatch(logger, () =>
      work.runs.active.map(({ run: { run_id, session_id } }) => `run ${run_id} of ${session_id}`),
    );
    opened.unshift(async () => watch.close());
    state.notes = (isOperator) =>
      [log.failure(), watch.news(isOperator), services.webhooks.news(isOperator)].filter(
        (note) => note !== null,
      );
    // So that listings, the stream of all sessions and the webhooks miss nothing.
    if (lock.afterCrash) await services.store.recover();
    // What ships with the daemon is there from the first request on; places that may not answer come later.
    await syncAndReport(services, 'local', logger);
    const idempotency = new Idempotency(services.shelf, clock, services.report);
    opened.unshift(async () => idempotency.close());
    state.loops = () => [idempotency.health];
    const mcp = new McpMount({ cwd, environment, logger, services, budgets });
    const listening = isWorker ? null : await listen(services, { token, idempotency, logger, mcp });
    work.serve();
    if (listening) await services.peers?.announce(urlOf(config, listening.server));
    const url = listening ? urlOf(config, listening.server) : `worker of ${home.places?.join(', ')}`;
    await lock.announce(url, clock);
    logger.info({ url, home: home.home, version: VERSION }, 'listening');
    const ready = syncAndReport(services, 'remote', logger)
      .then(() => tidyUp(services, logger))
      .finally(() => {
        state.unready = null;
      });
    const loaded = ready.then(loadLazyChunks).then(() => logger.info(CODE_LOADED));
    let stopping: Promise<void> | undefined;
    const stop = () => {
      stopping ??= (async () => {
        state.unready = 'The daemon is stopping.';
        graceEnd = clock.now() + config.shutdown_timeout_ms;
        services.runs.stopWaiting();
        await closeAll(
          [
            () => services.events.close(),
            () => mcp.close(),
            async () => listening && closeServer(listening, config, clock),
            () => loaded,
            ...opened,
          ],
          logger,
        );
        logger.info('stopped');
        await log.close();
      })();
      return stopping;
    };
    return {
      url,
      token,
      token_created: created,
      warning,
      home,
      config,
      ready,
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    for (const close of opened) await close();
    throw error;
  }
}

/** One that cannot be closed in order, as on a full disk, is no reason to leave the others open: the next start finds what it left. */
async function closeAll(closers: readonly (() => Promise<unknown>)[], logger: Logger): Promise<void> {
  for (const close of closers)
    await close().catch((error) => logger.error({ error: errorInfo(error).message }, 'closing'));
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

async function tidyUp({ profiles, store, config, home }: Services, logger: Logger): Promise<void> {
  try {
    await collectGarbage(profiles, store);
    // The user's own sessions are kept for as long as the user says.
    if (!home.isUsers) await store.emptyTrash(config.trash_days);
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
    `Listening on ${host} would send the token over the network in clear text. Set tls_cert and tls_key, put TLS in front of a loopback address, or use --insecure.`,
    { code: 'INVALID_CONFIG' },
  );
}

/** With other daemons on the record, one of them continues what this one leaves. */
function withRestart(config: DaemonConfig, { places }: DaemonHome): DaemonConfig {
  const on_restart = config.runs.on_restart ?? (places === null ? 'interrupt' : 'continue');
  return { ...config, runs: { ...config.runs, on_restart } };
}

function refuseLonely({ places }: DaemonHome): void {
  if (places !== null) return;
  throw new AmplifierError(
    'A worker executes runs that daemons accepted, from a shared record. Set AMPLIFIER_DATABASE to its PostgreSQL server.',
    { code: 'INVALID_CONFIG' },
  );
}
