import type { AgentFile, ReadAgentFile } from '@amplifier/foundation';
import { isWithin } from '@amplifier/workspace';
import type { HostPaths } from '../host-paths.js';
import type { FolderTrust } from './folder-trust.js';
import { inertAgent } from './inert-parts.js';
import { hooksOnlyTighter, withoutLoosening } from './only-tighter.js';
import { withoutVariables } from './without-variables.js';

/**
 * Reads agent files; of those in the project's own folder only what counts there. A file that is not as it was when trust was
 * asked for is text, whoever wrote it since: a session must not be able to trust what it wrote itself.
 */
export function agentReader(
  read: ReadAgentFile,
  { project }: HostPaths,
  trust: FolderTrust,
  variables: ReadonlySet<string>,
): ReadAgentFile {
  return async (path) => {
    const file = await read(path);
    if (!isWithin(project, path)) return file;
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

/** The places of a project as far as its own files count: an untrusted one brings no bundles, matrices and coding agents. */
export function countingPaths(paths: HostPaths, { state }: FolderTrust): HostPaths {
  if (state === 'trusted') return paths;
  const users = (folders: string[]) => folders.filter((folder) => !isWithin(paths.project, folder));
  return { ...paths, bundles: users(paths.bundles), routing: users(paths.routing) };
}
