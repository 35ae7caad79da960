import { join } from 'node:path';
import { type Clock, type Report, systemClock } from '@amplifier/core';
import {
  AgentLoader,
  AgentResolver,
  agentFileReader,
  EMPTY_BUNDLE,
  SourceResolver,
} from '@amplifier/foundation';
import { ownHomes } from '@amplifier/workspace';
import { DEFAULT_SESSION } from '../defaults.js';
import type { Environment } from '../environment.js';
import type { HostPaths } from '../host-paths.js';
import { PinnedModules } from '../pinned/pinned-modules.js';
import type { Project } from './project.js';

/** Where a server keeps what its sessions need. */
export interface DeploymentPlaces {
  home: string;
  record: string;
  /** Holds what modules are fetched from. */
  cache: string;
  logs: string;
  /** The trees of sessions that work apart. */
  trees: string;
}

/** The project of a server on a home of its own: nothing of a person or a folder counts, every session brings its plan. */
export function deploymentProject(
  places: DeploymentPlaces,
  { environment, report, clock = systemClock }: { environment: Environment; report: Report; clock?: Clock },
): Project {
  const { home, record, cache, logs, trees } = places;
  const sources = new SourceResolver({
    cacheDir: cache,
    environment,
    clock,
    report,
    holdLocal: { how: 'run: amplifierd trust' },
  });
  const trust = {
    state: 'untrusted' as const,
    folder: home,
    parts: [],
    digest: '',
    files: {},
    locked: [],
    agents: new Map(),
  };
  const settled = { ...trust, added: [], refused: false };
  return {
    paths: { ...noPaths(home), home, record, cache, logs, trees },
    environment,
    settings: { settings: {}, scopes: {}, trust: settled, left_out: [] },
    trust: settled,
    bundle: EMPTY_BUNDLE,
    own: EMPTY_BUNDLE,
    bundles: {},
    agents: new AgentLoader({
      readAgentFile: agentFileReader(),
      resolver: new AgentResolver({ searchPaths: [] }),
    }),
    sources,
    modules: new PinnedModules({
      home,
      homes: ownHomes(environment, home),
      isUsers: () => true,
      how: 'run: amplifierd trust',
      report,
    }),
    consent: { given: false },
    pending: [],
    report,
    isDeployment: true,
    plan: async () => ({ session: { ...DEFAULT_SESSION } }),
  };
}

/** Names below the home that nothing is ever put at. */
function noPaths(home: string): Omit<HostPaths, 'home' | 'record' | 'cache' | 'logs' | 'trees'> {
  const none = join(home, 'none');
  return {
    cwd: home,
    project: none,
    settings: { user: none, project: none, local: none },
    keys: none,
    logins: none,
    projects: none,
    sessions: none,
    queue: none,
    bundles: [],
    routing: [],
  };
}
