import { join, resolve } from 'node:path';
import { closestNames, type MountPlan, moduleSpec } from '@amplifier/core';
import { expandHome, OTHER_TOOLS, type OtherTool } from '@amplifier/foundation';
import { type FoundSkills, findSkills } from '@amplifier/modules';
import { HostError } from '../host-error.js';
import { enabledTools, userHome } from '../other-tools/enabled-tools.js';
import type { Project } from './project.js';

const MODULE = 'tool-skills';

/** Where the skills of a session are looked for. */
export interface SkillPlaces {
  cwd: string;
  /** Folders that it names for its tool go before the usual ones. */
  plan: MountPlan;
  /** The usual ones, first match wins. */
  folders: readonly string[];
}

/** Where other tools keep theirs, in the project and in the home folder. */
const FOLDERS: Record<OtherTool, { project: string[]; user: string[] }> = {
  claude_code: { project: ['.claude/skills'], user: ['.claude/skills'] },
  opencode: {
    project: ['.opencode/skills', '.opencode/skill'],
    user: ['.config/opencode/skills', '.config/opencode/skill'],
  },
  codex: { project: ['.codex/skills'], user: ['.codex/skills'] },
};

/** `.agents` belongs to no single tool. */
function projectFolders(tools: ReadonlySet<OtherTool>): string[] {
  const theirs = OTHER_TOOLS.filter((tool) => tools.has(tool)).flatMap((tool) => FOLDERS[tool].project);
  return ['.amplifier/skills', '.agents/skills', ...theirs];
}

/** The usual folders of a project and its user. Those of the project are named from wherever a session works. */
export function skillFolders({
  paths,
  settings,
  environment,
}: Pick<Project, 'paths' | 'settings' | 'environment'>): string[] {
  const tools = enabledTools(settings.settings);
  const home = userHome(environment);
  const theirs = OTHER_TOOLS.filter((tool) => tools.has(tool)).flatMap((tool) => FOLDERS[tool].user);
  const own = ['.agents/skills', ...theirs].map((folder) => join(home, folder));
  return [...projectFolders(tools), join(paths.home, 'skills'), ...own];
}

/** Where the skills of a launched session are. One of a deployment belongs to nobody's home: only its folder and its plan count. */
export function skillPlaces(
  project: Pick<Project, 'paths' | 'settings' | 'environment' | 'isDeployment'>,
  { workspace, plan }: { workspace: { cwd: string }; plan: MountPlan },
): SkillPlaces {
  if (project.isDeployment)
    return { cwd: workspace.cwd, plan, folders: projectFolders(enabledTools(project.settings.settings)) };
  return { cwd: project.paths.cwd, plan, folders: skillFolders(project) };
}

/** The skills a session has. */
export function listSkills({ cwd, plan, folders }: SkillPlaces): Promise<FoundSkills> {
  const config = (plan.tools ?? []).map(moduleSpec).find((spec) => spec?.module === MODULE)?.config;
  const named = Array.isArray(config?.skills_dirs) ? config.skills_dirs : folders;
  const paths = named.filter((folder) => typeof folder === 'string');
  return findSkills(paths.map((folder) => resolve(cwd, expandHome(folder))));
}

/** The plan with `load_skill` looking in these folders; it is added where there is a skill and the plan has no such tool. */
export async function withSkills(plan: MountPlan, cwd: string, folders: string[]): Promise<MountPlan> {
  const config = { skills_dirs: folders };
  const tools = plan.tools ?? [];
  if (tools.some((entry) => moduleSpec(entry)?.module === MODULE)) {
    const filled = tools.map((entry) => {
      const spec = moduleSpec(entry);
      return spec?.module === MODULE ? { ...spec, config: { ...config, ...spec.config } } : entry;
    });
    return { ...plan, tools: filled };
  }
  const { skills } = await listSkills({ cwd, plan, folders });
  return skills.size === 0 ? plan : { ...plan, tools: [...tools, { module: MODULE, config }] };
}

/** The text of skills that are handed over by name. Rejects for one that is not there: a child must not lack what it was promised. */
export async function skillTexts(names: readonly string[], places: SkillPlaces): Promise<string> {
  if (names.length === 0) return '';
  const { skills } = await listSkills(places);
  const texts = names.map((name) => {
    const skill = skills.get(name);
    if (skill) return `<skill name="${name}" folder="${skill.folder}">\n${skill.instructions}\n</skill>`;
    const [guess] = closestNames(name, [...skills.keys()]);
    throw new HostError(
      `There is no skill '${name}'.${guess ? ` Did you mean '${guess}'?` : " 'amplifier skill list' shows those there are."}`,
      { code: 'SKILL_NOT_FOUND', origin: name },
    );
  });
  return texts.join('\n\n');
}
