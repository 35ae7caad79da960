import type { Clock, Report } from '@amplifier/core';
import type { Question } from '@amplifier/delegation';
import type { Host, HostPaths, keptFolderTrust } from '@amplifier/host';
import type { RunQueue, SessionStore } from '@amplifier/sessions';
import { type DaemonHome, deploymentPlaces, type Environment } from '../config.js';
import { HOST_UNUSED_MS, MAX_OPEN_HOSTS } from '../defaults.js';
import type { LogPool } from '../sessions/log-pool.js';
import type { WorkingFolders } from '../sessions/working-folders.js';

export interface SessionHostsParts {
  home: DaemonHome;
  environment: Environment;
  folders: WorkingFolders;
  offline: boolean;
  store: SessionStore;
  logs: LogPool;
  queue: RunQueue;
  clock: Clock;
  report: Report;
  onQuestion: (question: Question) => void;
}

/** A host, and the queue that is closed with it. */
interface Opened {
  host: Host;
  queue?: RunQueue;
}

/** Asked where the user's own bundle says nothing of approvals: whoever uses the API is a person, or stands for one. */
const APPROVALS = { module: 'hooks-approval' };

/**
 * What sessions are run by: one host for a deployment, whose sessions bring everything; where the daemon is the user's own, one for
 * each folder, because settings, agents and trust are the folder's. Nothing is loaded before the first is needed.
 */
export class SessionHosts {
  readonly #parts: SessionHostsParts;
  /**
   * By what they were opened for, longest unused first. A folder whose settings or trust changed gets a new one; sessions at work
   * keep theirs.
   */
  readonly #opening = new Map<string, Promise<Host>>();
  readonly #opened = new Map<Host, { key: string; queue?: RunQueue; used: number }>();

  #trustOf: ReturnType<typeof keptFolderTrust> | undefined;

  constructor(parts: SessionHostsParts) {
    this.#parts = parts;
  }

  get offline(): boolean {
    return this.#parts.offline;
  }

  /** Those that are open. */
  get opened(): readonly Host[] {
    return [...this.#opened.keys()];
  }

  /** The one that runs a turn of the session at this moment. */
  running(session_id: string): Host | undefined {
    return this.opened.find(({ delegator }) => delegator.live.has(session_id));
  }

  /** The one a session runs in: that of the folder its tree was started in. */
  async of(session_id: string): Promise<Host> {
    const { home, store } = this.#parts;
    if (!home.isUsers) return this.deployment();
    const running = this.running(session_id);
    if (running) return running;
    const { root_id, working_dir } = await store.metadata(session_id);
    const isChild = root_id !== session_id && (await store.has(root_id));
    return this.in(isChild ? (await store.metadata(root_id)).working_dir : working_dir);
  }

  /** That of a folder, made of the bundle that the user's settings name there unless another is named. */
  async in(working_dir: string | null, bundle?: string): Promise<Host> {
    const { environment, folders } = this.#parts;
    const { hostPaths, keptFolderTrust } = await import('@amplifier/host');
    this.#trustOf ??= keptFolderTrust();
    const cwd = await folders.known(working_dir);
    const paths = hostPaths(cwd, environment);
    const { state, digest } = await this.#trustOf(paths);
    const stamp = await stampOf([...Object.values(paths.settings), paths.keys]);
    const key = JSON.stringify([cwd, bundle ?? null, state, digest, stamp]);
    return this.#once(key, () => this.#openFolder(paths, bundle));
  }

  /** One that runs on fixed rules, for what needs no model. What it makes can be run by any. */
  async offlineIn(cwd: string): Promise<Host> {
    const { hostPaths } = await import('@amplifier/host');
    const paths = hostPaths(cwd, this.#parts.environment);
    return this.#once(JSON.stringify(['offline', cwd]), () => this.#openFolder(paths, undefined, true));
  }

  deployment(): Promise<Host> {
    return this.#once('deployment', () => this.#openDeployment());
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#opening.values());
    for (const host of this.opened) await this.#closeOne(host);
  }

  async #once(key: string, open: () => Promise<Opened>): Promise<Host> {
    const known = this.#opening.get(key);
    const opening = known ?? open().then(({ host, queue }) => this.#enter(key, host, queue));
    // The last is the one that was used last.
    this.#opening.delete(key);
    this.#opening.set(key, opening);
    try {
      const host = await opening;
      const place = this.#opened.get(host);
      if (place) place.used = this.#parts.clock.now();
      return host;
    } catch (error) {
      // One that could not be opened must not be what the next request gets.
      if (this.#opening.get(key) === opening) this.#opening.delete(key);
      throw error;
    }
  }

  #enter(key: string, host: Host, queue: RunQueue | undefined): Host {
    this.#opened.set(host, { key, ...(queue ? { queue } : {}), used: this.#parts.clock.now() });
    void this.#closeUnused();
    return host;
  }

  /** Folders are named by whoever asks, so those that nobody works in any more do not stay open for ever. */
  async #closeUnused(): Promise<void> {
    for (const opening of this.#opening.values()) {
      if (this.#opened.size <= MAX_OPEN_HOSTS) return;
      const host = await opening.catch(() => null);
      const unusedMs = this.#parts.clock.now() - ((host && this.#opened.get(host)?.used) ?? Number.NaN);
      if (host?.delegator.live.isIdle && unusedMs >= HOST_UNUSED_MS) await this.#closeOne(host);
    }
  }

  async #closeOne(host: Host): Promise<void> {
    const place = this.#opened.get(host);
    if (!place) return;
    this.#opened.delete(host);
    this.#opening.delete(place.key);
    await host.close();
    await place.queue?.close();
  }

  async #openFolder(
    paths: HostPaths,
    bundle: string | undefined,
    offline = this.#parts.offline,
  ): Promise<Opened> {
    const { environment, store, logs, clock, report, onQuestion } = this.#parts;
    const { Host, openProject, openQueue } = await import('@amplifier/host');
    const named = bundle === undefined ? {} : { bundle };
    const project = await openProject({ cwd: paths.cwd, environment, report, ...named });
    const queue = await openQueue(paths.queue, report);
    const host = await Host.open(project, {
      record: { store, logs: logs.turnsIn(paths.cwd), queue },
      hooks: [APPROVALS],
      withoutTimeout: true,
      ...{ offline, clock, onQuestion },
    }).catch(async (error) => {
      await queue.close();
      throw error;
    });
    return { host, queue };
  }

  async #openDeployment(): Promise<Opened> {
    const { home, environment, store, logs, queue, clock, report, offline, onQuestion } = this.#parts;
    const { deploymentProject, Host } = await import('@amplifier/host');
    const project = deploymentProject(deploymentPlaces(home), { environment, report, clock });
    const host = await Host.open(project, {
      record: { store, logs: logs.turnsIn(null), queue },
      withoutTimeout: true,
      ...{ offline, clock, onQuestion },
    });
    return { host };
  }
}

/** Changes when one of the files does. */
async function stampOf(files: readonly string[]): Promise<string> {
  const { stat } = await import('node:fs/promises');
  const seen = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ mtimeMs, size }) => `${mtimeMs} ${size}`,
        () => '',
      ),
    ),
  );
  return seen.join('|');
}
