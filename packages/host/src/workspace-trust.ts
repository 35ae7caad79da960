import type { LoadedSettings } from '@amplifier/foundation';
import { isTrusted, requiresTrust, type SafetyMode } from '@amplifier/workspace';
import { HostError } from './host-error.js';
import { quoted } from './trust/describe-trust.js';
import { trustedWorkspaces } from './trust/folder-trust.js';

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
