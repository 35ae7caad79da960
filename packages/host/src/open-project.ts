import { type Diagnostic, type Report, systemClock } from '@amplifier/core';
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
  EMPTY_BUNDLE,
  environmentAgentNames,
  environmentOverride,
  otherAgentFolders,
  readKeys,
  SourceResolver,
} from '@amplifier/foundation';
import { checkLeft, isWithin, realPathOf } from '@amplifier/workspace';
import { BUILT_IN_BUNDLES, DEFAULT_BUNDLE } from './defaults.js';
import type { Environment } from './environment.js';
import { type HostPaths, hostPaths } from './host-paths.js';
import { enabledTools, userHome } from './other-tools/enabled-tools.js';
import type { Project } from './project.js';
import { sessionPlan } from './session-plan.js';
import { trustNotice } from './trust/describe-trust.js';
import {
  allowedVariables,
  type FolderTrust,
  readSettings,
  refuseFolder,
  type TrustedSettings,
  trustFolder,
} from './trust/folder-trust.js';
import { agentReader, bundleBounds, countingPaths } from './trust/project-files.js';

export interface ProjectOptions {
  cwd: string;
  environment?: Environment;
  /** A bundle other than the one the settings name. */
  bundle?: string;
  /** Ask every source for its newest state, however lately it was asked. */
  refresh?: boolean;
  /** Told of what is amiss and does not stop anything. */
  report?: Report;
  /** Asks a person whether what may act in the folder may do so. Without it nobody is asked, and nothing acts. */
  askTrust?: ((trust: FolderTrust) => Promise<boolean>) | undefined;
}

/** Reads settings, keys, the bundle and the agents of a folder. Rejects when a file of the user's cannot be used. */
export async function openProject(options: ProjectOptions): Promise<Project> {
  const { cwd, environment = process.env, report = () => {} } = options;
  const places = hostPaths(cwd, environment);
  // Before anything of the folder is read.
  for (const message of await checkLeft([await realPathOf(cwd)]))
    report({ level: 'warning', code: 'HELD_BACK', message });
  const settings = await trustedSettings(places, options);
  const { trust } = settings;
  const notice = trustNotice(trust);
  for (const warning of [...settings.left_out, ...(notice ? [notice] : [])]) report(warning);
  const paths = countingPaths(places, trust);
  const [keys, discovered] = await Promise.all([readKeys(paths.keys), discoverBundles(paths.bundles)]);
  const { active = DEFAULT_BUNDLE, app = [] } = settings.settings.bundle ?? {};
  const sources = new SourceResolver({
    cacheDir: paths.cache,
    environment,
    clock: systemClock,
    report,
    ...(options.refresh ? { revisionMaxAgeMs: 0 } : {}),
  });
  const bundles = bundlesByName(discovered, settings);
  const variables = allowedVariables(settings.scopes.user);
  const readAgentFile = agentReader(agentFileReader(), paths, trust, variables);
  const bound = bundleBounds(paths, settings);
  const loader = new BundleLoader({ sources, registry: bundles, readAgentFile, bound });
  const bundle = await loader.load([options.bundle ?? active, ...app], paths.cwd);
  const own = await usersBundle();
  for (const warning of bundle.warnings) report(warning satisfies Diagnostic);
  const agents = new AgentLoader({
    readAgentFile,
    resolver: new AgentResolver({
      searchPaths: [
        ...agentSearchOrder({
          userDir: paths.home,
          projectDir: paths.project,
          bundles: bundleSearchPaths(bundle),
        }).map((folder) => (folder.origin === 'project' ? { ...folder, confine_to: paths.cwd } : folder)),
        ...otherAgentFolders(enabledTools(settings.settings), {
          home: userHome(environment),
          cwd: paths.cwd,
        }),
      ],
      override: environmentOverride(environment, { cwd: paths.cwd }),
      overrideNames: environmentAgentNames(environment),
    }),
  });
  const known = { ...keys, ...environment };
  const project = { paths, environment: known, settings, trust, bundle, own, bundles, agents };
  return { ...project, sources, report, isDeployment: false, plan: () => sessionPlan(project, report) };

  /** By the user's settings alone. One that only the project has is not the user's. */
  async function usersBundle(): Promise<Bundle> {
    const { user, project, local } = settings.scopes;
    const isAlone = [project, local].every((said) => !said?.bundle && !said?.sources);
    const fromHome = Object.entries(discovered).filter(([, file]) => !isWithin(paths.project, file));
    if (isAlone && fromHome.length === Object.keys(discovered).length) return bundle;
    const registry = bundlesByName(Object.fromEntries(fromHome), { settings: user ?? {} });
    const { active = DEFAULT_BUNDLE, app = [] } = user?.bundle ?? {};
    const ofUser = new BundleLoader({ sources, registry, readAgentFile, bound });
    return ofUser.load([options.bundle ?? active, ...app], paths.cwd).catch(() => EMPTY_BUNDLE);
  }
}

/** The settings that count, after a person was asked where one is there and something would act. */
async function trustedSettings(paths: HostPaths, { askTrust }: ProjectOptions): Promise<TrustedSettings> {
  const settings = await readSettings(paths);
  const { trust } = settings;
  if (!askTrust || trust.state === 'trusted' || trust.refused || trust.parts.length === 0) return settings;
  if (await askTrust(trust)) await trustFolder(paths, trust);
  else await refuseFolder(paths, trust);
  return readSettings(paths);
}

/** Every bundle that goes by a name here. */
export async function namedBundles(paths: HostPaths, settings: TrustedSettings): Promise<BundleRegistry> {
  return bundlesByName(await discoverBundles(countingPaths(paths, settings.trust).bundles), settings);
}

/** Highest last: what ships with the product, the folders of user and project, the settings. */
function bundlesByName(
  discovered: BundleRegistry,
  { settings }: Pick<TrustedSettings, 'settings'>,
): BundleRegistry {
  return { ...BUILT_IN_BUNDLES, ...discovered, ...settings.sources?.bundles, ...settings.bundle?.added };
}
