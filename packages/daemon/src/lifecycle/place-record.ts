import { hostname } from 'node:os';
import { type DaemonConfig, type DaemonHome, type Environment, readConfig } from '../config.js';

/**
 * The home with its record where the environment or the configuration says: on a PostgreSQL server that other daemons, each with a
 * home of its own, use as well, or in its file.
 */
export async function placeRecordOf(
  home: DaemonHome,
  environment: Environment,
  config?: DaemonConfig,
): Promise<DaemonHome> {
  const { database, places } = config ?? (await readConfig(home, environment));
  const isStated = Boolean(environment.AMPLIFIER_DATABASE?.trim()) || database !== undefined;
  if (!isStated && !home.isUsers) return home;
  const { chosenDatabase, placeDatabase, placeOnServer } = await import('@amplifier/host');
  const isOnServer =
    database === undefined && home.isUsers
      ? await placeDatabase(home.record, environment)
      : placeOnServer(home.record, chosenDatabase(environment, database));
  if (!isOnServer) return home;
  const lease = `daemon ${hostname()} ${home.state}`;
  return { ...home, lease, isShared: true, places: places?.length ? places : [hostname()] };
}
