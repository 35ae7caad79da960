import { errorInfo, type Report } from '@amplifier/core';
import type { TrustChange } from '@amplifier/workspace';
import type { Environment } from '../environment.js';
import type { HostPaths } from '../host-paths.js';
import { heldPart, pendingModules, pendingParts, reviewModules } from '../pinned/review-modules.js';
import { openProject } from '../project/open-project.js';
import type { ActingPart } from './acting-parts.js';
import { type FolderTrust, folderTrust, recordTrust } from './folder-trust.js';

/**
 * A person trusts the folder with all that acts in it now: its configuration, and the modules and bundles that sessions here load,
 * with everything they import.
 */
export async function trustFolder(
  paths: HostPaths,
  seen: FolderTrust,
  environment: Environment = process.env,
): Promise<TrustChange> {
  const change = await recordTrust(paths, seen);
  try {
    const project = await openProject({ ...ofFolder(paths, environment), trusted: true });
    await reviewModules(project, await project.plan());
    for (const held of project.sources.held) await project.sources.take(held);
    return change;
  } catch (error) {
    const why = `The modules of ${change.folder} could not be pinned, so they are not loaded: ${errorInfo(error).message}`;
    return { ...change, warning: change.warning === null ? why : `${change.warning} ${why}` };
  }
}

/** Whether the folder's files may act, with what changed in the modules and bundles that sessions here load. */
export async function reviewFolder(
  paths: HostPaths,
  report: Report,
  environment: Environment = process.env,
): Promise<FolderTrust> {
  const trust = await folderTrust(paths);
  const pending = await pendingIn(paths, report, environment).catch((error) => [
    { file: paths.cwd, what: `modules cannot be checked: ${errorInfo(error).message}` },
  ]);
  if (pending.length === 0) return trust;
  const { parts, added } = trust;
  const state = trust.state === 'trusted' ? 'changed' : trust.state;
  return { ...trust, state, parts: [...parts, ...pending], added: [...added, ...pending] };
}

async function pendingIn(
  paths: HostPaths,
  report: Report,
  environment: Environment,
): Promise<readonly ActingPart[]> {
  const project = await openProject({ ...ofFolder(paths, environment), report });
  const modules = project.pending.length > 0 ? [] : await pendingModules(project, await project.plan());
  return [
    ...project.pending,
    ...modules.flatMap((each) => pendingParts(each, paths.cwd)),
    ...project.sources.held.map(heldPart),
  ];
}

function ofFolder({ cwd, home }: HostPaths, environment: Environment) {
  return { cwd, environment: { ...environment, AMPLIFIER_HOME: home } };
}
