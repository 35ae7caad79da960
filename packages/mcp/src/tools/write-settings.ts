import { folderTrust, type HostPaths, loadSettings, recordTrust, writeSetting } from '@amplifier/host';
import { z } from 'zod';
import { McpToolError } from '../mcp-error.js';
import type { Call } from '../wire/call.js';

export const Scope = z
  .enum(['user', 'project'])
  .describe('Which settings: user applies to every folder, project to everyone in this one. Default: user.');
export type Scope = z.infer<typeof Scope>;

/** Only where the person at the machine started this server: a caller over the network does not set up somebody else's. */
export function checkMayWrite({ honours_trust }: Call): void {
  if (honours_trust) return;
  throw new McpToolError(
    'INVALID_INPUT',
    'write, install_adapters: Nothing is set up for callers of this server. The user can run: amplifier init',
  );
}

/** Adds to the section `delegation` what it does not say yet. Gives back the file, or null when there was nothing to add. */
export async function writeDelegation(
  call: Call,
  paths: HostPaths,
  scope: Scope,
  wanted: { agents?: Record<string, unknown>; default_safety_mode?: string },
): Promise<string> {
  checkMayWrite(call);
  const file = paths.settings[scope];
  const before = await folderTrust(paths);
  const { scopes } = await loadSettings(paths.settings);
  const section = (scopes[scope]?.delegation ?? {}) as {
    agents?: Record<string, unknown>;
    default_safety_mode?: unknown;
  };
  const write = (path: string[], value: unknown) => writeSetting({ file, keysFile: paths.keys, path, value });
  for (const [id, entry] of Object.entries(wanted.agents ?? {}))
    if (section.agents?.[id] === undefined) await write(['delegation', 'agents', id], entry);
  if (wanted.default_safety_mode !== undefined && section.default_safety_mode === undefined)
    await write(['delegation', 'default_safety_mode'], wanted.default_safety_mode);
  await keepTrust(paths, before);
  return file;
}

/** What is written here in a folder that was trusted as it was leaves it trusted; another is not made so. */
export async function keepTrust(
  paths: HostPaths,
  before: Awaited<ReturnType<typeof folderTrust>>,
): Promise<void> {
  const after = await folderTrust(paths);
  if (before.state === 'trusted' && after.digest !== before.digest) await recordTrust(paths, after);
}
