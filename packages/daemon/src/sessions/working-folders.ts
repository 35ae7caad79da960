import { mkdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { AmplifierError } from '@amplifier/core';
import type { LaunchRecord } from '@amplifier/delegation';
import {
  deploymentHome,
  isTrusted,
  isWithin,
  type Looked,
  ownHomes,
  realPathOf,
  requiresTrust,
  type SafetyMode,
  SYSTEM_FOLDERS,
} from '@amplifier/workspace';
import { checkListed, type DaemonConfig, type DaemonHome, type Environment, homeFolders } from '../config.js';
import { DaemonError } from '../daemon-error.js';

export interface FolderOptions {
  config: Pick<DaemonConfig, 'runs' | 'tenants'>;
  home: DaemonHome;
  environment: Environment;
  cwd: string;
  /** Whose folders these are; without one, those of all. */
  tenant?: string;
}

/**
 * Where sessions may work, and what they may change there: at or below the folders the operator named, and never in a home of
 * ours. REST and `/mcp` ask here, so that a token gets the same answer at both.
 */
export class WorkingFolders {
  readonly roots: readonly string[];
  readonly homes: readonly string[];
  /** The only folders that sessions of a tenant may read, beside those of the system; null for the operator's, which are not kept to any. */
  readonly readable: readonly string[] | null;
  /** The widest mode that anyone is given here. */
  readonly widest: SafetyMode;
  readonly #default: string;
  readonly #trusted: readonly string[];
  readonly #isUsers: boolean;
  readonly #listed: () => Promise<readonly string[]>;
  readonly #options: FolderOptions;
  readonly #tenants = new Map<string, WorkingFolders>();
  readonly #hidden: readonly string[];

  constructor(options: FolderOptions) {
    const { config, home, environment, cwd, tenant } = options;
    const { runs, tenants } = config;
    this.#options = options;
    const absolute = (paths: readonly string[]) => paths.map((path) => resolve(cwd, path));
    const rootsOf = (name: string) => {
      const { working_dir = join(runs.working_dir ?? '.', name), working_roots = [] } = tenants[name] ?? {};
      return absolute([working_dir, ...working_roots]);
    };
    const operators = absolute([runs.working_dir ?? '.', ...runs.working_roots]);
    this.roots = tenant === undefined ? operators : rootsOf(tenant);
    this.readable =
      tenant === undefined ? null : [...this.roots, ...absolute(tenants[tenant]?.readable ?? [])];
    // Programs need the folders of the system, and what the operator or the daemon's user keeps there is not for tenants.
    this.#hidden = [...operators, homedir()].filter((path) =>
      SYSTEM_FOLDERS.some((folder) => path !== folder && isWithin(folder, path)),
    );
    this.#default = this.roots[0] as string;
    const others = tenant === undefined ? [] : Object.keys(tenants).filter((name) => name !== tenant);
    this.widest = runs.safety_mode;
    this.#trusted = runs.trust_working_dir ? this.roots : [];
    this.#isUsers = home.isUsers;
    this.#listed = async () => {
      const { hostPaths, readTrusted } = await import('@amplifier/host');
      return readTrusted(hostPaths(cwd, environment).settings.user);
    };
    // Folders of other tenants are as far out of reach as our own.
    this.homes = [
      ...new Set([
        ...homeFolders(home),
        ...ownHomes(environment, cwd),
        ...others.flatMap(rootsOf),
        ...(tenant === undefined ? [] : this.#hidden),
      ]),
    ];
  }

  /** Where sessions of a tenant may work; without a tenant, the operator's. Throws for a tenant that is not listed. */
  of(tenant: string | undefined): WorkingFolders {
    if (tenant === undefined) return this;
    checkListed(this.#options.config.tenants, tenant);
    const known = this.#tenants.get(tenant) ?? new WorkingFolders({ ...this.#options, tenant });
    this.#tenants.set(tenant, known);
    return known;
  }

  /**
   * Refuses a home that somebody put below a folder sessions work in: every grant leaves it out, but whatever else works there (an
   * editor, a backup, a command without a sandbox) would find the tokens. The usual place in the user's own folder is taken as it is:
   * what there is to say of it is returned, or null.
   */
  async refuseHomeBelow(home: DaemonHome): Promise<string | null> {
    // The user's own home is where it is for every entry point.
    if (home.isUsers) return null;
    const usual = await realPathOf(deploymentHome({}));
    let warning: string | null = null;
    for (const place of homeFolders(home)) {
      const folder = await realPathOf(place);
      for (const root of this.roots) {
        if (!isWithin(await realPathOf(root).catch(() => root), folder)) continue;
        const why = `The daemon keeps tokens and the record in ${place}, which is below ${root}, where sessions work.`;
        if (isWithin(usual, folder)) warning ??= `${why} Sessions cannot reach it; other programs there can.`;
        else
          throw new AmplifierError(
            `${why} Put AMPLIFIERD_HOME (and AMPLIFIERD_*_DIR) elsewhere, start the daemon in another folder, or set runs.working_dir and runs.working_roots to folders that do not hold it.`,
            { code: 'INVALID_CONFIG' },
          );
      }
    }
    return warning;
  }

  /** Refuses a tenant whose folder is below one that tenants must not see and that is in a folder of the system. */
  refuseExposed(): void {
    for (const tenant of Object.keys(this.#options.config.tenants)) {
      const { roots } = this.of(tenant);
      const hidden = this.#hidden.find((path) => roots.some((root) => isWithin(path, root)));
      if (hidden === undefined) continue;
      throw new AmplifierError(
        `The folder of the tenant ${tenant} is below ${hidden}, and every tenant can read the system folder that ${hidden} is in. Move it out of ${SYSTEM_FOLDERS.join(', ')}, or give the tenant a working_dir elsewhere.`,
        { code: 'INVALID_CONFIG' },
      );
    }
  }

  /**
   * Throws for a session of a tenant that may read more than the tenant may now: it was launched under other rules. `trees` holds
   * the isolated trees, of which a session knows only its own.
   */
  async requireReach(
    { session_id, grant }: Pick<LaunchRecord, 'session_id' | 'grant'>,
    trees: string,
  ): Promise<void> {
    if (this.readable === null) return;
    const reach = await real([...this.readable, ...SYSTEM_FOLDERS, trees]);
    const beyond = grant.read.allow.find((path) => !reach.some((folder) => isWithin(folder, path)));
    if (beyond === undefined) return;
    throw new DaemonError(
      'READ_SCOPE_WIDER',
      `Session ${session_id} was launched with access to ${beyond}, which its tenant may not read. Create a new session.`,
    );
  }

  /** The real place of the folder, or of the daemon's own when none is wanted. Throws for one that is not allowed. */
  async allowed(wanted: string | null | undefined, looked: Looked = new Map()): Promise<string> {
    if (this.#options.tenant !== undefined) await mkdir(this.#default, { recursive: true });
    const folder = await realPathOf(wanted ?? this.#default, this.#default, looked).catch(() => null);
    // Neither the target of a link nor whether it exists is shown: all cases have the same message.
    const refusal = () => refused(`${wanted ?? this.#default} is not in a folder that sessions may work in`);
    if (folder === null) throw refusal();
    const [roots, homes] = await Promise.all([real(this.roots, looked), real(this.homes, looked)]);
    const isNamed = roots.some((root) => isWithin(root, folder)) || (await this.#isUsersOwn(folder, looked));
    if (!isNamed || homes.some((home) => isWithin(home, folder))) throw refusal();
    return folder;
  }

  /** Where a session that is in the record works, whoever started it: in a deployment where it is allowed, else wherever it is. */
  async known(working_dir: string | null, looked: Looked = new Map()): Promise<string> {
    if (!this.#isUsers || working_dir === null) return this.allowed(working_dir, looked);
    return realPathOf(working_dir, undefined, looked);
  }

  /** May the folder be changed? Because the operator named it, or because the user whose settings these are trusts it. */
  async trusts(folder: string, looked: Looked = new Map()): Promise<boolean> {
    return (
      (await isTrusted(folder, this.#trusted, looked)) || isTrusted(folder, await this.#listed(), looked)
    );
  }

  /** The user's own server works in the folders they trust as well. */
  async #isUsersOwn(folder: string, looked: Looked): Promise<boolean> {
    return this.#isUsers && isTrusted(folder, await this.#listed(), looked);
  }

  /** Throws where the mode changes files and the folder is not trusted. */
  async requireTrust(wanted: string | null, mode: SafetyMode, looked: Looked = new Map()): Promise<void> {
    if (!requiresTrust(mode)) return;
    // Each place is looked at once ("one turn" of the bench `daemon`).
    const folder = await this.known(wanted, looked);
    if (await this.trusts(folder, looked)) return;
    throw new DaemonError(
      'WORKSPACE_NOT_TRUSTED',
      `${mode} needs ${folder} to be trusted. The operator can do that with runs.trust_working_dir in config/daemon.yaml, or with: amplifier trust. Reading and proposing (safety_mode read_only or propose) need no trust.`,
    );
  }

  /** What `allowed` gives for a session that is about to run, for which the folder has to be there. */
  async ready(session_id: string, wanted: string | null): Promise<string> {
    const folder = await this.known(wanted);
    const found = await stat(folder).catch(() => null);
    if (found?.isDirectory()) return folder;
    throw new DaemonError(
      'INVALID_WORKING_DIR',
      `Session ${session_id} is to work in ${folder}, which is not a folder. Create it, or create the session with another working_dir.`,
    );
  }
}

function real(paths: readonly string[], looked: Looked = new Map()): Promise<string[]> {
  return Promise.all(paths.map((path) => realPathOf(path, undefined, looked).catch(() => path)));
}

function refused(why: string): DaemonError {
  return new DaemonError(
    'INVALID_WORKING_DIR',
    `${why}. The operator can name more with runs.working_roots in config/daemon.yaml.`,
  );
}
