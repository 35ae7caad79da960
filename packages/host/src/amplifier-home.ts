import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The user's folder: `~/.amplifier` unless `AMPLIFIER_HOME` says otherwise. */
export function amplifierHome(environment: Environment = process.env): string {
  return resolve(environment.AMPLIFIER_HOME?.trim() || join(homedir(), '.amplifier'));
}
