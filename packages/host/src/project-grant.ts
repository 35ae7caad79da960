import { homedir } from 'node:os';
import {
  type Grant,
  type NetworkAccess,
  ownHomes,
  type SafetyMode,
  sessionGrant,
} from '@amplifier/workspace';
import type { Project } from './project.js';

type Granting = Pick<Project, 'environment' | 'trust' | 'readable' | 'homes' | 'settings'>;

/** What of sessions here may reach the network unless someone says otherwise: commands only in a folder that is trusted. */
export function projectNetwork(
  { settings, trust }: Pick<Project, 'settings' | 'trust'>,
  isDeclared = false,
): NetworkAccess {
  return settings.settings.network ?? (isDeclared || trust.state === 'trusted' ? true : 'tools');
}

/** What a session of this project may do in `cwd`, a real path. The files that the trust in the folder rests on stay as they are. */
export function projectGrant(
  project: Granting,
  cwd: string,
  safety_mode: SafetyMode,
  trusted: boolean,
  network: NetworkAccess = projectNetwork(project),
): Promise<Grant> {
  const { environment, trust, readable, homes: more = [] } = project;
  const homes = [...ownHomes(environment, cwd), ...more];
  const bounds = { network, ...(readable ? { readable } : {}) };
  const { locked } = trust;
  return sessionGrant(safety_mode, { cwd, trusted, home: homedir(), homes, locked, ...bounds });
}
