import { isPlainObject, moduleSpec } from '@amplifier/core';
import type { LaunchRecord } from '@amplifier/delegation';
import { HostError } from '../host-error.js';
import { type SkillPlaces, skillTexts } from '../project/skills.js';

/** Rejects for a launch that lacks a skill or an MCP server it was promised: it would run with less than its author counts on. */
export async function checkLaunch(
  { skills = [], needs_servers = [], plan, agent }: LaunchRecord,
  places: SkillPlaces,
): Promise<void> {
  await skillTexts(skills, places);
  const config = (plan.tools ?? []).map(moduleSpec).find((spec) => spec?.module === 'tool-mcp')?.config;
  const servers = isPlainObject(config?.servers) ? Object.keys(config.servers) : [];
  const missing = needs_servers.find((name) => !servers.includes(name));
  if (missing === undefined) return;
  throw new HostError(
    `The agent '${agent.name}' needs the MCP server '${missing}', which this session does not have. Add it: amplifier mcp-server add ${missing}`,
    { code: 'MCP_SERVER_MISSING', origin: missing },
  );
}
