import { type Clock, errorInfo } from '@amplifier/core';
import type { Host } from '../host.js';
import type { HostPaths } from '../host-paths.js';
import { keptFolderTrust } from '../trust/folder-trust.js';

export interface HostPoolOptions {
  clock: Clock;
  /** More hosts than this are not kept open when they are idle. Default: any number. */
  most?: number | undefined;
  /** One that was used less long ago than this is kept open in any case. Default: 0. */
  unusedMs?: number | undefined;
}

/** A host that stays open until it is disposed of. */
export interface LentHost extends AsyncDisposable {
  readonly host: Host;
}

interface Entry {
  opening: Promise<Host>;
  host: Host | null;
  /** How many have borrowed it. */
  users: number;
  used: number;
}

/**
 * The hosts that a process has open, each for a key such as that of its folder. When settings or trust change, the key does: the host of
 * the former key gets no new work, and is closed like any other that is unused.
 */
export class HostPool implements AsyncDisposable {
  readonly #options: HostPoolOptions;
  /** Longest unused first. */
  readonly #entries = new Map<string, Entry>();
  readonly #trustOf = keptFolderTrust();

  constructor(options: HostPoolOptions) {
    this.#options = options;
  }

  /** Those that are open. */
  get opened(): readonly Host[] {
    return [...this.#entries.values()].flatMap(({ host }) => host ?? []);
  }

  /** The one that runs a turn of the session at this moment. */
  running(session_id: string): Host | undefined {
    return this.opened.find(({ delegator }) => delegator.live.has(session_id));
  }

  /** The key of a folder. It changes with the trust in its files and with the settings that apply there. */
  async keyOf(paths: HostPaths, ...more: readonly unknown[]): Promise<string> {
    const { trust, files } = await this.#trustOf(paths);
    return JSON.stringify([paths.cwd, trust.state, trust.digest, files, ...more]);
  }

  /** The host of a key, which `open` opens unless it is open. */
  async get(key: string, open: () => Promise<Host>): Promise<Host> {
    return this.#enter(key, open).opening;
  }

  /** Lends the host of a key: it stays open until it is given back. Must be disposed of (`await using`). */
  async lend(key: string, open: () => Promise<Host>): Promise<LentHost> {
    const entry = this.#enter(key, open);
    entry.users++;
    const giveBack = async () => {
      entry.users--;
      await this.#closeIdle();
    };
    try {
      return { host: await entry.opening, [Symbol.asyncDispose]: giveBack };
    } catch (error) {
      await giveBack();
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#entries.values()].map(({ opening }) => opening));
    for (const [key, entry] of this.#entries) await this.#close(key, entry);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #enter(key: string, open: () => Promise<Host>): Entry {
    const entry = this.#entries.get(key) ?? this.#open(key, open);
    entry.used = this.#options.clock.now();
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  #open(key: string, open: () => Promise<Host>): Entry {
    const entry: Entry = { opening: open(), host: null, users: 0, used: 0 };
    entry.opening.then(
      (host) => {
        entry.host = host;
        void this.#closeIdle();
      },
      // One that could not be opened is opened anew by the next request.
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    return entry;
  }

  async #closeIdle(): Promise<void> {
    const { clock, most = Number.POSITIVE_INFINITY, unusedMs = 0 } = this.#options;
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size <= most) return;
      const { host, users, used } = entry;
      if (host?.delegator.live.isIdle && users === 0 && clock.now() - used >= unusedMs)
        await this.#close(key, entry);
    }
  }

  async #close(key: string, entry: Entry): Promise<void> {
    if (this.#entries.get(key) !== entry) return;
    this.#entries.delete(key);
    const { host } = entry;
    // The work of others must not fail because this one cannot be closed.
    await host?.close().catch((error) => {
      const message = `The host of ${host.project.paths.cwd} could not be closed: ${errorInfo(error).message}`;
      host.project.report({ level: 'error', code: 'HOST_NOT_CLOSED', message, error });
    });
  }
}
