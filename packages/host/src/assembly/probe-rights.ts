import { realpath } from 'node:fs/promises';
import type { Session } from '@amplifier/core';
import type { Project } from '../project/project.js';
import { projectGrant } from '../project/project-grant.js';

/**
 * Lets a session that only tries modules out do what `amplifier run` of the same person may do there, because MCP servers run under
 * it. What an untrusted folder brings is not among the modules.
 */
export async function giveProbeRights({ coordinator }: Session, project: Project): Promise<void> {
  const cwd = await realpath(project.paths.cwd);
  coordinator.registerCapability('session.mcp_logins', project.paths.logins);
  coordinator.registerCapability('session.working_dir', cwd);
  coordinator.registerCapability('session.folder_trusted', project.trust.state === 'trusted');
  coordinator.registerCapability('session.grant', await projectGrant(project, cwd, 'write', true));
}
