import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isWithin, ownHomes, realPathOf } from '@amplifier/workspace';
import type { DaemonConfig, DaemonHome, Environment } from '../config.js';
import { DaemonError } from '../daemon-error.js';

/** Where sessions may work: at or below the folders the operator named, and never in a home of ours. */
export class WorkingFolders {
  readonly roots: readonly string[];
  readonly homes: readonly string[];
  readonly #default: string;

  constructor({
    config: { runs },
    home,
    environment,
    cwd,
  }: {
    config: Pick<DaemonConfig, 'runs'>;
    home: DaemonHome;
    environment: Environment;
    cwd: string;
  }) {
    this.#default = resolve(cwd, runs.working_dir ?? '.');
    this.roots = [this.#default, ...runs.working_roots.map((root) => resolve(cwd, root))];
    this.homes = [...new Set([...Object.values(home), ...ownHomes(environment, cwd)])];
  }

  /** The real place of the folder, or of the daemon's own when none is wanted. Throws for one that is not allowed. */
  async allowed(wanted: string | null | undefined): Promise<string> {
    const folder = await realPathOf(wanted ?? this.#default, this.#default).catch(() => null);
    if (folder === null) throw refused(`${JSON.stringify(wanted)} is no folder`);
    const [roots, homes] = await Promise.all([real(this.roots), real(this.homes)]);
    // Whether a folder outside exists is nobody's business: all cases read the same.
    if (!roots.some((root) => isWithin(root, folder)) || homes.some((home) => isWithin(home, folder)))
      throw refused(`${folder} is not below a folder that sessions may work in`);
    return folder;
  }

  /** The same for a session that is about to run, for which the folder has to be there. */
  async ready(session_id: string, wanted: string | null): Promise<string> {
    const folder = await this.allowed(wanted);
    const found = await stat(folder).catch(() => null);
    if (found?.isDirectory()) return folder;
    throw new DaemonError(
      'INVALID_WORKING_DIR',
      `Session ${session_id} is to work in ${folder}, which is no folder. Make it, or create the session with another working_dir.`,
    );
  }
}

function real(paths: readonly string[]): Promise<string[]> {
  return Promise.all(paths.map((path) => realPathOf(path).catch(() => path)));
}

function refused(why: string): DaemonError {
  return new DaemonError(
    'INVALID_WORKING_DIR',
    `${why}. The operator can name more with runs.working_roots in config/daemon.yaml.`,
  );
}
