import {
  type AgentFile,
  BUILT_IN_BUNDLE,
  type LoadedSettings,
  type OpenBundle,
  type ReadAgentFile,
} from '@amplifier/foundation';
import { isWithin } from '@amplifier/workspace';
import type { HostPaths } from '../host-paths.js';
import type { PinnedBundles } from '../pinned/pinned-bundles.js';
import { projectAgentFolders } from './acting-parts.js';
import { allowedVariables, type FolderTrust } from './folder-trust.js';
import { inertAgent } from './inert-parts.js';
import { hooksOnlyTighter, serverNames, withoutLoosening, withoutServers } from './only-tighter.js';
import { withoutVariables } from './without-variables.js';

/**
 * Reads agent files; of those in the project's own folder only what counts there. A file that is not as it was when trust was
 * asked for is text, whoever wrote it since: a session must not be able to trust what it wrote itself.
 */
export function agentReader(
  read: ReadAgentFile,
  { project, cwd }: HostPaths,
  trust: FolderTrust,
  variables: ReadonlySet<string>,
  bundles: PinnedBundles,
): ReadAgentFile {
  const own = [project, ...projectAgentFolders(cwd).map(({ path }) => path)];
  return async (path) => {
    const file = await read(path);
    if (!own.some((folder) => isWithin(folder, path)))
      return bundles.allows(path, file) ? file : { ...file, agent: inertAgent(file.agent) };
    const isKnown = trust.agents.get(path) === file.digest || isWithin(`${project}/bundles`, path);
    return trust.state === 'trusted' && isKnown ? bounded(file) : { ...file, agent: inertAgent(file.agent) };
  };

  function bounded(file: AgentFile): AgentFile {
    const { frontmatter } = file.agent;
    const declared = withoutVariables(withoutLoosening(hooksOnlyTighter(frontmatter)), variables);
    const meta = frontmatter.meta && { meta: hooksOnlyTighter(declared.meta ?? {}) };
    return { ...file, agent: { ...file.agent, frontmatter: { ...declared, ...meta } } };
  }
}

/**
 * Of bundles that a project brought (they lie in its folder, or its settings name them) what a project may say. Bundles that ship
 * with the product, lie in the user's home or are named by the user's own settings count whole.
 */
export function bundleBounds(
  { cwd, home, project }: HostPaths,
  { scopes }: Pick<LoadedSettings, 'scopes'>,
): { isProjects: (open: OpenBundle) => boolean; bound: (open: OpenBundle) => OpenBundle } {
  const users = JSON.stringify([scopes.user?.bundle, scopes.user?.sources]);
  const namesBundles = [scopes.project, scopes.local].some((said) => said?.bundle ?? said?.sources);
  const variables = allowedVariables(scopes.user);
  const isUsers = ({ source, document: { file } }: OpenBundle) =>
    isWithin(home, file) || users.includes(JSON.stringify(source)) || isWithin(BUILT_IN_BUNDLE, file);
  const isProjects = (open: OpenBundle) =>
    isWithin(project, open.document.file) ||
    (namesBundles && (isWithin(cwd, open.document.file) || !isUsers(open)));
  const bound = (open: OpenBundle) => {
    if (!isProjects(open)) return open;
    const { session, providers, tools, hooks, spawn, agents } = open.document;
    const said = withoutServers(
      { session, providers, tools, hooks, spawn, agents },
      serverNames(scopes.user),
    );
    const bounded = withoutVariables(hooksOnlyTighter(withoutLoosening(said)), variables);
    return {
      ...open,
      document: { ...open.document, ...bounded, confine_to: open.document.confine_to ?? cwd },
    };
  };
  return { isProjects, bound };
}

/** The places of a project as far as its own files count: an untrusted one brings no bundles, matrices and coding agents. */
export function countingPaths(paths: HostPaths, { state }: FolderTrust): HostPaths {
  if (state === 'trusted') return paths;
  const users = (folders: string[]) => folders.filter((folder) => !isWithin(paths.project, folder));
  return { ...paths, bundles: users(paths.bundles), routing: users(paths.routing) };
}
