import type { LoadedSettings } from '@amplifier/foundation';
import { isTrusted, requiresTrust, type SafetyMode } from '@amplifier/workspace';
import { HostError } from '../host-error.js';
import { quoted } from './describe-trust.js';
import { type FolderTrust, trustedWorkspaces } from './folder-trust.js';

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

/**
 * Throws where a session was started with what the folder's own files brought, and nobody trusts that any more: its record holds
 * their modules, commands and addresses.
 */
export function requireActingTrust(
  { acting }: { acting?: string | undefined },
  { state, folder }: Pick<FolderTrust, 'state' | 'folder'>,
): void {
  if (!acting || state === 'trusted') return;
  const why =
    state === 'changed' ? 'they have changed since you trusted it' : 'the folder is not trusted any more';
  throw new HostError(
    `This session was started with files of ${folder}, and ${why}. Review and trust it: amplifier trust ${quoted(folder)}. Or start a new session.`,
    { code: 'WORKSPACE_NOT_TRUSTED', origin: folder },
  );
}
