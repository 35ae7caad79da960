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
  type OpenBundle,
  otherAgentFolders,
  readKeys,
  SourceResolver,
} from '@amplifier/foundation';
import { checkLeft, isWithin, ownHomes, realPathOf } from '@amplifier/workspace';
import { usersNames } from '../assembly/module-loader.js';
import { BUILT_IN_BUNDLES, DEFAULT_BUNDLE } from '../defaults.js';
import type { Environment } from '../environment.js';
import { type HostPaths, hostPaths } from '../host-paths.js';
import { enabledTools, userHome } from '../other-tools/enabled-tools.js';
import { PinnedBundles } from '../pinned/pinned-bundles.js';
import { PinnedModules } from '../pinned/pinned-modules.js';
import { quoted, trustNotice } from '../trust/describe-trust.js';
import {
  allowedVariables,
  type FolderTrust,
  readSettings,
  recordTrust,
  refuseFolder,
  type TrustedSettings,
} from '../trust/folder-trust.js';
import { agentReader, bundleBounds, countingPaths } from '../trust/project-files.js';
import type { Consent, Project } from './project.js';
import { sessionPlan } from './session-plan.js';

export interface ProjectOptions {
  cwd: string;
  environment?: Environment;
  /** A bundle other than the one the settings name. */
  bundle?: string | undefined;
  /** Ask every source for its newest state, however lately it was asked. */
  refresh?: boolean;
  /** See `Project`. */
  readable?: Project['readable'];
  homes?: Project['homes'];
  /** Told of what is amiss and does not stop anything. */
  report?: Report;
  /** Asks a person whether what may act in the folder may do so. Without it nobody is asked, and nothing acts. */
  askTrust?: ((trust: FolderTrust) => Promise<boolean>) | undefined;
  /** The person has just agreed to everything that acts, as it is now. */
  trusted?: boolean;
}

/** Reads settings, keys, the bundle and the agents of a folder. Rejects when a file of the user's cannot be used. */
export async function openProject(options: ProjectOptions): Promise<Project> {
  const { cwd, environment = process.env, report = () => {} } = options;
  const places = hostPaths(cwd, environment);
  // Before anything of the folder is read.
  for (const message of await checkLeft([await realPathOf(cwd)]))
    report({ level: 'warning', code: 'HELD_BACK', message });
  const { settings, consent } = await trustedSettings(places, options);
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
    ...(options.refresh
      ? { revisionMaxAgeMs: 0 }
      : { holdLocal: { how: `run: amplifier trust ${quoted(paths.cwd)}` } }),
  });
  const bundles = bundlesByName(discovered, settings);
  const variables = allowedVariables(settings.scopes.user);
  const homes = ownHomes(environment, paths.cwd);
  const pinnedBundles = new PinnedBundles(homes);
  const readFile = agentFileReader();
  const readAgentFile = agentReader(readFile, paths, trust, variables, pinnedBundles);
  const bounds = bundleBounds(paths, settings);
  const bound = (open: OpenBundle) => {
    pinnedBundles.note(open);
    return bounds.bound(open);
  };
  const loader = new BundleLoader({
    sources,
    registry: bundles,
    packagesFrom: (source) => (isNamedByProject(source) ? paths.cwd : paths.home),
    readAgentFile,
    bound,
  });
  const bundle = await loader.load([options.bundle ?? active, ...app], paths.cwd);
  const own = await usersBundle();
  const override = environmentOverride(environment, { cwd: paths.cwd });
  const overrideNames = environmentAgentNames(environment);
  // A relative path means another file in each folder.
  const elsewhere = environmentOverride(environment, { cwd: paths.home });
  const named = overrideNames.flatMap((name) => {
    const path = override(name)?.path;
    if (path === undefined || isWithin(paths.project, path)) return [];
    return [{ path, isAbsolute: elsewhere(name)?.path === path }];
  });
  await pinnedBundles.review({ consent, trust, paths }, readFile, bounds.isProjects, named, report);
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
      override,
      overrideNames,
    }),
  });
  const known = { ...keys, ...environment };
  const modules = new PinnedModules({
    home: paths.home,
    homes,
    isUsers: usersNames({ settings, own, trust }),
    how: `run: amplifier trust ${quoted(paths.cwd)}`,
    report,
  });
  const project = { paths, environment: known, settings, trust, bundle, own, bundles, agents };
  const plan = async () => {
    pinnedBundles.requireReviewed(paths.cwd);
    return sessionPlan(project, report);
  };
  const pending = pinnedBundles.pending;
  const reach = { readable: options.readable, homes: options.homes };
  return { ...project, ...reach, sources, modules, consent, pending, report, isDeployment: false, plan };

  /** Only the project's settings, which have no bundles unless the folder is trusted, name it. The user's names never mean a package of the folder. */
  function isNamedByProject(source: string): boolean {
    const { user, project, local } = settings.scopes;
    const says = (said: typeof user) =>
      JSON.stringify([said?.bundle, said?.sources?.bundles]).includes(JSON.stringify(source));
    return options.bundle !== source && !says(user) && (says(project) || says(local));
  }

  /** By the user's settings alone. One that only the project has is not the user's. */
  async function usersBundle(): Promise<Bundle> {
    const { user, project, local } = settings.scopes;
    const isAlone = [project, local].every((said) => !said?.bundle && !said?.sources);
    const fromHome = Object.entries(discovered).filter(([, file]) => !isWithin(paths.project, file));
    if (isAlone && fromHome.length === Object.keys(discovered).length) return bundle;
    const registry = bundlesByName(Object.fromEntries(fromHome), { settings: user ?? {} });
    const { active = DEFAULT_BUNDLE, app = [] } = user?.bundle ?? {};
    const ofUser = new BundleLoader({
      sources,
      registry,
      packagesFrom: () => paths.home,
      readAgentFile,
      bound,
    });
    return ofUser.load([options.bundle ?? active, ...app], paths.cwd).catch(() => EMPTY_BUNDLE);
  }
}

/** The settings that count. Asks first if a person can be asked and something would act. */
async function trustedSettings(
  paths: HostPaths,
  { askTrust, trusted = false }: ProjectOptions,
): Promise<{ settings: TrustedSettings; consent: Consent }> {
  const settings = await readSettings(paths);
  const { trust } = settings;
  if (!askTrust || trust.state === 'trusted' || trust.refused || trust.parts.length === 0)
    return { settings, consent: { given: trusted, ask: askTrust } };
  const given = await askTrust(trust);
  if (given) await recordTrust(paths, trust);
  else await refuseFolder(paths, trust);
  return { settings: await readSettings(paths), consent: { given, ask: askTrust } };
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
