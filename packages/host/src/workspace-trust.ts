import { isPlainObject } from '@amplifier/core';
import type { LoadedSettings } from '@amplifier/foundation';
import { isTrusted, requiresTrust, type SafetyMode } from '@amplifier/workspace';
import { HostError } from './host-error.js';

/** The folders a user trusts: by their own file alone, because a project must not be able to declare itself trusted. */
export function trustedWorkspaces({ scopes }: Pick<LoadedSettings, 'scopes'>): string[] {
  const section = scopes.user?.delegation;
  const listed = isPlainObject(section) ? section.trusted_workspaces : [];
  return Array.isArray(listed) ? listed.filter((folder) => typeof folder === 'string') : [];
}

/** Rejects where the mode changes files and the folder is not trusted, and names the command that helps. */
export async function requireTrust(
  folder: string,
  mode: SafetyMode,
  settings: Pick<LoadedSettings, 'scopes'>,
  who = 'the agent',
): Promise<void> {
  if (!requiresTrust(mode) || (await isTrusted(folder, trustedWorkspaces(settings)))) return;
  throw new HostError(
    `${mode} mode lets ${who} change files in ${folder}, and that folder is not trusted. Run: amplifier trust ${quoted(folder)}. Or use propose or read_only mode.`,
    { code: 'WORKSPACE_NOT_TRUSTED', origin: folder },
  );
}

/** As a shell takes it. */
function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
