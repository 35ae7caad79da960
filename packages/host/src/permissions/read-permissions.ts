import { homedir } from 'node:os';
import { join } from 'node:path';
import { errorInfo, isPlainObject, type JsonObject } from '@amplifier/core';
import type { SettingsScope } from '@amplifier/foundation';
import { type PermissionRule, readRules } from '@amplifier/modules';
import type { Environment } from '../environment.js';
import { HostError } from '../host-error.js';
import type { HostPaths } from '../host-paths.js';
import { readJsonFile } from '../project/read-json-file.js';
import { type FolderTrust, readSettings } from '../trust/folder-trust.js';

/** The rules that count in a folder, and those that do not. */
export interface Permissions {
  rules: PermissionRule[];
  /** Rules that a project may not make, each with the reason. */
  set_aside: { rule: PermissionRule; because: string }[];
  trust: FolderTrust;
}

const PROJECT_ONLY_TIGHTENS = 'a project may only ask or deny; only your own files may allow';

/** Files that rules are read from, of Claude Code those that are its user's and the project's. */
export function permissionFiles(paths: HostPaths, environment: Environment) {
  const claudeHome = environment.CLAUDE_CONFIG_DIR?.trim() || join(environment.HOME ?? homedir(), '.claude');
  return {
    own: paths.settings,
    claude: {
      user: join(claudeHome, 'settings.json'),
      project: join(paths.cwd, '.claude', 'settings.json'),
      local: join(paths.cwd, '.claude', 'settings.local.json'),
    } satisfies Record<SettingsScope, string>,
  };
}

/** Reads every rule that counts in a folder. Rejects when a file cannot be read: rules nobody can read allow nothing. */
export async function readPermissions(paths: HostPaths, environment: Environment): Promise<Permissions> {
  const files = permissionFiles(paths, environment);
  const { scopes, trust } = await readSettings(paths);
  const found: Permissions = { rules: [], set_aside: [], trust };
  for (const scope of ['user', 'project', 'local'] as const) {
    add(scope, rulesIn(scopes[scope]?.permissions, files.own[scope]));
    const claude = await readClaude(files.claude[scope]).catch((error) => {
      // Nobody looked at this folder yet: a file of another program that it brings breaks nothing.
      if (scope !== 'user' && trust.state !== 'trusted') return undefined;
      throw error;
    });
    add(scope, rulesIn(claude, files.claude[scope]));
  }
  return found;

  function add(scope: SettingsScope, rules: readonly PermissionRule[]): void {
    for (const rule of rules) {
      const isTooMuch = scope !== 'user' && rule.action === 'allow';
      if (isTooMuch) found.set_aside.push({ rule, because: PROJECT_ONLY_TIGHTENS });
      else found.rules.push(rule);
    }
  }
}

function rulesIn(section: unknown, file: string): PermissionRule[] {
  try {
    return readRules(section, tilde(file));
  } catch (error) {
    throw unreadable(file, (error as Error).message);
  }
}

async function readClaude(file: string): Promise<unknown> {
  const { permissions } = await readJsonFile(file).catch((error) => {
    throw unreadable(file, errorInfo(error).message);
  });
  // Members such as `defaultMode` say nothing about single calls.
  return isPlainObject(permissions) ? onlyLists(permissions) : undefined;
}

function onlyLists({ allow = [], ask = [], deny = [] }: JsonObject): JsonObject {
  return { allow, ask, deny };
}

function unreadable(file: string, why: string): HostError {
  return new HostError(
    `The permission rules in ${file} cannot be read, so nothing is allowed by them: ${why} Correct the file or remove its 'permissions'.`,
    { code: 'INVALID_PERMISSIONS', origin: file },
  );
}

/** A path as people write it. */
export function tilde(path: string): string {
  const home = homedir();
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
