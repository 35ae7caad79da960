import { homedir } from 'node:os';
import { type MountPlan, moduleSpec } from '@amplifier/core';
import { type PermissionRule, readRules, unreadablePaths } from '@amplifier/modules';
import {
  type Grant,
  type NetworkAccess,
  ownHomes,
  type SafetyMode,
  sessionGrant,
  treesFolders,
  type Unreadable,
} from '@amplifier/workspace';
import type { LivePermissions } from '../permissions/live-permissions.js';
import { readPermissions } from '../permissions/read-permissions.js';
import type { Project } from './project.js';

type RuleSources = Pick<Project, 'environment' | 'paths' | 'isDeployment'>;
type Granting = RuleSources & Pick<Project, 'trust' | 'readable' | 'homes' | 'settings'>;

/** What of sessions here may reach the network unless someone says otherwise: commands only in a folder that is trusted. */
export function projectNetwork(
  { settings, trust }: Pick<Project, 'settings' | 'trust'>,
  isDeclared = false,
): NetworkAccess {
  return settings.settings.network ?? (isDeclared || trust.state === 'trusted' ? true : 'tools');
}

/**
 * What a session of this project may do in `cwd`, a real path. The files that the trust in the folder rests on cannot be written,
 * and what the permission rules of the user, the folder and the plan deny cannot be read.
 */
export async function projectGrant(
  project: Granting,
  cwd: string,
  safety_mode: SafetyMode,
  trusted: boolean,
  network: NetworkAccess = projectNetwork(project),
  { plan, live }: { plan?: MountPlan; live?: LivePermissions | null } = {},
): Promise<Grant> {
  const { environment, trust, readable, paths, homes: more = [] } = project;
  const homes = [...ownHomes(environment, cwd), ...more];
  const trees = [...new Set([...treesFolders(environment), ...treesFolders(), paths.trees])];
  const unreadable = await unreadableIn(project, cwd, plan, live);
  const bounds = { network, unreadable, readable };
  const { locked } = trust;
  return sessionGrant(safety_mode, { cwd, trusted, home: homedir(), homes, trees, locked, ...bounds });
}

/** Rejects when the rules cannot be read. `live`: the same rules, read again only when their files change. */
export async function unreadableIn(
  project: RuleSources,
  cwd: string,
  plan?: MountPlan,
  live?: LivePermissions | null,
): Promise<Unreadable> {
  const rules = live ? await live.rules() : await rulesIn(project);
  return unreadablePaths([...rules, ...rulesOf(plan)], cwd);
}

async function rulesIn({ isDeployment, paths, environment }: RuleSources): Promise<PermissionRule[]> {
  return isDeployment ? [] : (await readPermissions(paths, environment)).rules;
}

/** The rules that a plan carries for `hooks-approval`. */
function rulesOf(plan: MountPlan | undefined): PermissionRule[] {
  return (plan?.hooks ?? []).flatMap((hook) => {
    const spec = moduleSpec(hook);
    return spec?.module === 'hooks-approval' ? readRules(spec.config?.permissions, 'the plan') : [];
  });
}
