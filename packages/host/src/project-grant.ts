import { homedir } from 'node:os';
import { type Grant, ownHomes, type SafetyMode, sessionGrant } from '@amplifier/workspace';
import type { Project } from './project.js';

/** What a session of this project may do in `cwd`, a real path. The files that the trust in the folder rests on stay as they are. */
export function projectGrant(
  {
    environment,
    trust,
    readable,
    homes: more = [],
  }: Pick<Project, 'environment' | 'trust' | 'readable' | 'homes'>,
  cwd: string,
  safety_mode: SafetyMode,
  trusted: boolean,
): Promise<Grant> {
  const homes = [...ownHomes(environment, cwd), ...more];
  const bounds = readable ? { readable } : {};
  const { locked } = trust;
  return sessionGrant(safety_mode, { cwd, trusted, home: homedir(), homes, locked, ...bounds });
}
