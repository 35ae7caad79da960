import { type Diagnostic, type MountPlan, type Report, systemClock } from '@amplifier/core';
import {
  AgentLoader,
  AgentResolver,
  agentFileReader,
  agentSearchOrder,
  type Bundle,
  BundleLoader,
  type BundleRegistry,
  bundleSearchPaths,
  discoverBundles,
  environmentAgentNames,
  environmentOverride,
  type LoadedSettings,
  loadSettings,
  readKeys,
  SourceResolver,
} from '@amplifier/foundation';
import type { Environment } from './amplifier-home.js';
import { BUILT_IN_BUNDLES, DEFAULT_BUNDLE } from './defaults.js';
import { type HostPaths, hostPaths } from './host-paths.js';
import { sessionPlan } from './session-plan.js';

export interface ProjectOptions {
  cwd: string;
  environment?: Environment;
  /** A bundle other than the one the settings name. */
  bundle?: string;
  /** Ask every source for its newest state, however lately it was asked. */
  refresh?: boolean;
  /** Told of what is amiss and does not stop anything. */
  report?: Report;
}

/** A folder with everything that files say about how to work in it. Nothing runs yet. */
export interface Project {
  paths: HostPaths;
  /** The process's variables over those of `keys.env`. */
  environment: Environment;
  settings: LoadedSettings;
  bundle: Bundle;
  /** Every bundle that goes by a name. */
  bundles: BundleRegistry;
  agents: AgentLoader;
  sources: SourceResolver;
  report: Report;
  /** The plan of a session here, as files and settings say; providers may still be missing. */
  plan(): Promise<MountPlan>;
}

/** Reads settings, keys, the bundle and the agents of a folder. Rejects when a file of the user's cannot be used. */
export async function openProject(options: ProjectOptions): Promise<Project> {
  const { cwd, environment = process.env, report = () => {} } = options;
  const paths = hostPaths(cwd, environment);
  const [settings, keys, discovered] = await Promise.all([
    loadSettings(paths.settings),
    readKeys(paths.keys),
    discoverBundles(paths.bundles),
  ]);
  const { active = DEFAULT_BUNDLE, app = [] } = settings.settings.bundle ?? {};
  const sources = new SourceResolver({
    cacheDir: paths.cache,
    environment,
    clock: systemClock,
    report,
    ...(options.refresh ? { revisionMaxAgeMs: 0 } : {}),
  });
  const bundles = bundlesByName(discovered, settings);
  const readAgentFile = agentFileReader();
  const loader = new BundleLoader({ sources, registry: bundles, readAgentFile });
  const bundle = await loader.load([options.bundle ?? active, ...app], paths.cwd);
  for (const warning of bundle.warnings) report(warning satisfies Diagnostic);
  const agents = new AgentLoader({
    readAgentFile,
    resolver: new AgentResolver({
      searchPaths: agentSearchOrder({
        userDir: paths.home,
        projectDir: paths.project,
        bundles: bundleSearchPaths(bundle),
      }),
      override: environmentOverride(environment, { cwd: paths.cwd }),
      overrideNames: environmentAgentNames(environment),
    }),
  });
  const project = { paths, environment: { ...keys, ...environment }, settings, bundle, bundles, agents };
  return { ...project, sources, report, plan: () => sessionPlan(project, report) };
}

/** Every bundle that goes by a name here. */
export async function namedBundles(paths: HostPaths, settings: LoadedSettings): Promise<BundleRegistry> {
  return bundlesByName(await discoverBundles(paths.bundles), settings);
}

/** Highest last: what ships with the product, the folders of user and project, the settings. */
function bundlesByName(discovered: BundleRegistry, { settings }: LoadedSettings): BundleRegistry {
  return { ...BUILT_IN_BUNDLES, ...discovered, ...settings.sources?.bundles, ...settings.bundle?.added };
}
