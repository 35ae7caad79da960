import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expandVariables, loadSettings, type Settings } from '@amplifier/foundation';
import { type Database, openDatabase, placeRecord } from '@amplifier/sessions';
import type { Environment } from '../environment.js';
import { HostError } from '../host-error.js';

/** A PostgreSQL server that has the record, as somebody wrote it down. */
export interface DatabaseChoice {
  url: string;
  /** The server's own address, where `url` is that of a pooler. */
  direct?: string | undefined;
  /** Connections for reading. */
  connections?: number | undefined;
}

/** Records that stay where they are, whatever the environment and the settings say. */
const fixed = new Set<string>();

/** From now on `record` is what `open` opens, and nothing else: it may be the part of another record that somebody may see. */
export function fixRecord(record: string, open: () => Promise<Database>): void {
  fixed.add(record);
  placeRecord(record, open);
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
  const open = async ({ url, ...options }: DatabaseChoice) => {
    const { PostgresDatabase } = await import('@amplifier/postgres');
    return PostgresDatabase.open(url, options);
  };
  if (!fixed.has(record)) placeRecord(record, choice && (() => open(choice)));
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

/** A record by what somebody typed: the address of a server, or a file, with or without `sqlite:` before it. Whoever opens it closes it. */
export async function openRecordAt(text: string, cwd: string, mustExist: boolean): Promise<Database> {
  if (/^postgres(ql)?:/i.test(text)) {
    const { PostgresDatabase } = await import('@amplifier/postgres');
    return PostgresDatabase.open(text, {
      direct: process.env.AMPLIFIER_DATABASE_DIRECT?.trim() || undefined,
    });
  }
  const file = resolve(cwd, text.replace(/^sqlite:(\/\/(?=\/))?/, ''));
  if (mustExist && !existsSync(file))
    throw new HostError(
      `There is no record ${file}. Name the file of a record, or postgres://user@host/database.`,
      {
        code: 'RECORD_NOT_FOUND',
        origin: file,
      },
    );
  return openDatabase(file);
}
