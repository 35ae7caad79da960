import { join } from 'node:path';
import { buildRoster, importAcpJson, type Roster } from '@amplifier/acp';
import { isPlainObject, type JsonObject, parseBoundedJson } from '@amplifier/core';
import { HostError } from '../host-error.js';
import type { Project } from '../project/project.js';
import { readSmallFile } from '../project/read-json-file.js';

export type RosterSources = Pick<Project, 'paths' | 'settings' | 'trust' | 'report'>;

/** The section of the settings about external agents and jobs. */
export function delegationSection({ settings }: Pick<Project, 'settings'>): JsonObject {
  const { delegation } = settings.settings;
  return isPlainObject(delegation) ? delegation : {};
}

/** The built-in roster, under it the `acp.json` of user and trusted project, over it what the settings say. */
export async function readRoster(project: RosterSources): Promise<Roster> {
  const { home, project: folder } = project.paths;
  const section = delegationSection(project);
  const builtins = buildRoster();
  const imported: Record<string, JsonObject> = {};
  const folders = project.trust.state === 'trusted' ? [home, folder] : [home];
  for (const file of folders.map((place) => join(place, 'acp.json')))
    Object.assign(imported, await importedFrom(file, builtins, project));
  const agents = isPlainObject(section.agents) ? section.agents : {};
  return buildRoster({
    agents: { ...imported, ...overRoster(agents, builtins, imported) },
    enabled_agents: Array.isArray(section.enabled_agents) ? section.enabled_agents.map(String) : null,
  });
}

/** The settings speak of all agents by their names; those that run no program are none of the roster's. */
function overRoster(
  agents: JsonObject,
  builtins: Roster,
  imported: Record<string, JsonObject>,
): Record<string, unknown> {
  const entries = Object.entries(agents).flatMap(([name, entry]) => {
    const id = name.replace(/^acp:/, '');
    const isProgram = isPlainObject(entry) && ('command' in entry || 'base' in entry);
    if (!isProgram && !builtins.has(id) && !imported[id]) return [];
    return [[id, isPlainObject(entry) ? { ...imported[id], ...entry } : entry]];
  });
  return Object.fromEntries(entries);
}

async function importedFrom(
  file: string,
  builtins: Roster,
  { report }: RosterSources,
): Promise<Record<string, JsonObject>> {
  const text = await readSmallFile(file);
  if (text === null) return {};
  const { agents, skipped } = importAcpJson(parseJson(text, file), builtins.ids);
  for (const message of skipped)
    report({ level: 'warning', code: 'ACP_JSON_SKIPPED', message: `${file}: ${message}` });
  return agents;
}

function parseJson(text: string, file: string): unknown {
  try {
    return parseBoundedJson(text, 'The file');
  } catch (cause) {
    throw new HostError(`${file} is not JSON: ${(cause as Error).message}. Correct it, or remove it.`, {
      code: 'ACP_JSON_INVALID',
      origin: file,
      cause,
    });
  }
}
