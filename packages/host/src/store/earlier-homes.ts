import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '@amplifier/core';
import { adoptFolders, flatCopies, openRecord } from '@amplifier/sessions/record';
import { deploymentHome } from '@amplifier/workspace';
import type { Environment } from '../environment.js';
import type { HostPaths } from '../host-paths.js';
import { openStore } from './open-store.js';

/** Homes of servers that keep sessions of their own: of a deployment, and, from earlier versions, in the working folder. */
export function earlierHomes(cwd: string, environment: Environment): string[] {
  const homes = new Set([join(cwd, '.amplifierd'), deploymentHome(environment)]);
  return [...homes].filter((home) => existsSync(recordOf(home)) || existsSync(copiesOf(home)));
}

/** Brings the sessions of such a home into the user's own record, as those of this project. It stays as it is. Returns how many were new. */
export async function importHome(
  home: string,
  { sessions }: Pick<HostPaths, 'sessions'>,
  report: Report,
): Promise<number> {
  if (existsSync(recordOf(home))) {
    await using old = await openRecord(recordOf(home), { copies: flatCopies(copiesOf(home)) });
    await old.writeCopies();
  }
  await using store = await openStore(sessions, report);
  return await adoptFolders(store, copiesOf(home), report, { copies: true });
}

function recordOf(home: string): string {
  return join(home, 'state', 'record.db');
}

function copiesOf(home: string): string {
  return join(home, 'state', 'sessions');
}
