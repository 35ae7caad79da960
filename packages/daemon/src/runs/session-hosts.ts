import type { Clock, Report } from '@amplifier/core';
import type { Question } from '@amplifier/delegation';
import type { CircuitBreaker, Host, HostPaths, HostPool } from '@amplifier/host';
import type { LogPool } from '@amplifier/host/runs';
import type { SessionMetadata, SessionStore, SqlRunQueue } from '@amplifier/sessions';
import { type DaemonHome, deploymentPlaces, type Environment } from '../config.js';
import { HOST_UNUSED_MS, MAX_OPEN_HOSTS } from '../defaults.js';
import type { WorkingFolders } from '../sessions/working-folders.js';

export interface SessionHostsParts {
  home: DaemonHome;
  environment: Environment;
  folders: WorkingFolders;
  offline: boolean;
  store: SessionStore;
  logs: LogPool;
  queue: SqlRunQueue;
  clock: Clock;
  report: Report;
  onQuestion: (question: Question) => void;
}

/** Asked where the user's own bundle says nothing of approvals: whoever uses the API is a person, or stands for one. */
const APPROVALS = { module: 'hooks-approval' };

/**
 * What sessions are run by: one host for a deployment, whose sessions bring everything; where the daemon is the user's own, one for
 * each folder, because settings, agents and trust are the folder's. Nothing is loaded before the first is needed.
 */
export class SessionHosts {
  readonly #parts: SessionHostsParts;
  #pool: HostPool | undefined;
  #breaker: CircuitBreaker | undefined;

  constructor(parts: SessionHostsParts) {
    this.#parts = parts;
  }

  get offline(): boolean {
    return this.#parts.offline;
  }

  get opened(): readonly Host[] {
    return this.#pool?.opened ?? [];
  }

  running(session_id: string): Host | undefined {
    return this.#pool?.running(session_id);
  }

  /** The one a session runs in: that of the folder its tree was started in. */
  async of(session_id: string, known?: SessionMetadata): Promise<Host> {
    const { home, store } = this.#parts;
    if (!home.isUsers) return this.deployment();
    const running = this.running(session_id);
    if (running) return running;
    const { root_id, working_dir } = known ?? (await store.metadata(session_id));
    const isChild = root_id !== session_id && (await store.has(root_id));
    return this.in(isChild ? (await store.metadata(root_id)).working_dir : working_dir);
  }

  /** That of a folder, made of the bundle that the user's settings name there unless another is named. */
  async in(working_dir: string | null, bundle?: string): Promise<Host> {
    const { environment, folders } = this.#parts;
    const { hostPaths } = await import('@amplifier/host');
    const pool = await this.#hosts();
    const paths = hostPaths(await folders.known(working_dir), environment);
    return pool.get(await pool.keyOf(paths, bundle ?? null), () => this.#openFolder(paths, bundle));
  }

  /** One that runs on fixed rules, for what needs no model. What it makes can be run by any. */
  async offlineIn(cwd: string): Promise<Host> {
    const { hostPaths } = await import('@amplifier/host');
    const paths = hostPaths(cwd, this.#parts.environment);
    const key = JSON.stringify(['offline', cwd]);
    return (await this.#hosts()).get(key, () => this.#openFolder(paths, undefined, true));
  }

  async deployment(): Promise<Host> {
    return (await this.#hosts()).get('deployment', () => this.#openDeployment());
  }

  /** Which external agents fail, in all hosts of the process. */
  async breaker(): Promise<CircuitBreaker> {
    const { CircuitBreaker } = await import('@amplifier/host');
    this.#breaker ??= new CircuitBreaker(this.#parts.clock);
    return this.#breaker;
  }

  async close(): Promise<void> {
    await this.#pool?.close();
  }

  async #hosts(): Promise<HostPool> {
    const { HostPool } = await import('@amplifier/host');
    const { clock } = this.#parts;
    this.#pool ??= new HostPool({ clock, most: MAX_OPEN_HOSTS, unusedMs: HOST_UNUSED_MS });
    return this.#pool;
  }

  async #openFolder(
    paths: HostPaths,
    bundle: string | undefined,
    offline = this.#parts.offline,
  ): Promise<Host> {
    const { environment, store, logs, queue, clock, report, onQuestion } = this.#parts;
    const { Host, openProject, recordOf } = await import('@amplifier/host');
    const named = bundle === undefined ? {} : { bundle };
    const project = await openProject({ cwd: paths.cwd, environment, report, ...named });
    const own = queue.of(recordOf(paths.queue).project);
    return Host.open(project, {
      record: { store, logs: logs.turnsIn(paths.cwd), queue: own },
      hooks: [APPROVALS],
      breaker: await this.breaker(),
      withoutTimeout: true,
      ...{ offline, clock, onQuestion },
    });
  }

  async #openDeployment(): Promise<Host> {
    const { home, environment, store, logs, queue, clock, report, offline, onQuestion } = this.#parts;
    const { deploymentProject, Host } = await import('@amplifier/host');
    const project = deploymentProject(deploymentPlaces(home), { environment, report, clock });
    return Host.open(project, {
      record: { store, logs: logs.turnsIn(null), queue },
      breaker: await this.breaker(),
      withoutTimeout: true,
      ...{ offline, clock, onQuestion },
    });
  }
}
