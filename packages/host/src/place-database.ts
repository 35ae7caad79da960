import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expandVariables, loadSettings, type Settings } from '@amplifier/foundation';
import { placeRecord } from '@amplifier/sessions';
import type { Environment } from './amplifier-home.js';

/** A PostgreSQL server that has the record, as somebody wrote it down. */
export interface DatabaseChoice {
  url: string;
  /** The server's own address, where `url` is that of a pooler. */
  direct?: string | undefined;
  /** Connections for reading. */
  connections?: number | undefined;
}

/** What the environment says goes before what is written in a file. */
export function chosenDatabase(
  environment: Environment,
  written: string | DatabaseChoice | undefined,
): DatabaseChoice | null {
  const stated = environment.AMPLIFIER_DATABASE?.trim();
  const direct = environment.AMPLIFIER_DATABASE_DIRECT?.trim();
  const choice = stated ? { url: stated } : typeof written === 'string' ? { url: written } : written;
  if (!choice) return null;
  return { ...expandVariables({ ...choice }, environment), ...(direct ? { direct } : {}) };
}

/**
 * From now on everybody in this process who opens the record by the name of its file gets the one on the server. The driver is
 * loaded when that happens, and the address goes nowhere else: it may hold a password. True when there is a server.
 */
export function placeOnServer(record: string, choice: DatabaseChoice | null): boolean {
  placeRecord(
    record,
    choice &&
      (async () => {
        const { PostgresDatabase } = await import('@amplifier/postgres');
        const { url, ...options } = choice;
        return PostgresDatabase.open(url, options);
      }),
  );
  return choice !== null;
}

/** Sees to it that the record of a user is where `AMPLIFIER_DATABASE`, or `database` in the user's own settings, says. True when that is a server. */
export async function placeDatabase(
  record: string,
  environment: Environment = process.env,
): Promise<boolean> {
  const user = join(dirname(record), 'settings.yaml');
  // Whoever needs the settings tells what is wrong with them; a project's must not lead the record anywhere.
  const { settings } = await loadSettings({ user }).catch(() => ({ settings: {} as Settings }));
  return placeOnServer(record, chosenDatabase(environment, settings.database));
}

/** May there be sessions already? A server is asked, a file is looked for. */
export async function hasRecord(record: string, environment: Environment = process.env): Promise<boolean> {
  if (existsSync(record) || environment.AMPLIFIER_DATABASE?.trim()) return true;
  const { settings } = await loadSettings({ user: join(dirname(record), 'settings.yaml') }).catch(() => ({
    settings: {} as Settings,
  }));
  return settings.database !== undefined;
}
