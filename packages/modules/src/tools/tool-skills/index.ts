import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { AmplifierModule, Coordinator, JsonObject } from '@amplifier/core';
import { z } from 'zod';
import { readConfig } from '../../read-config.js';
import { findSkills } from './find-skills.js';
import { SKILL_LOADED, skillTool } from './skill-tool.js';

const Config = z.object({
  /** Where to look, first match wins. Without it: the project's `.amplifier/skills`, then the user's. */
  skills_dirs: z.array(z.string()).optional(),
});

/** `load_skill`: instructions on demand, from SKILL.md files. */
const module: AmplifierModule = {
  async mount(coordinator, config: JsonObject) {
    const { skills_dirs } = readConfig('tool-skills', Config, config);
    const { skills, problems } = await findSkills(folders(coordinator, skills_dirs));
    for (const message of problems)
      coordinator.report({ level: 'warning', code: 'SKILL_LEFT_OUT', message, module_id: 'tool-skills' });
    coordinator.mounts.mount('tools', skillTool(skills));
    return coordinator.contributions.register('observability.events', 'tool-skills', () => [SKILL_LOADED]);
  },
};
export default module;

function folders(coordinator: Coordinator, configured: string[] | undefined): string[] {
  const project = coordinator.getCapability('session.working_dir') ?? process.cwd();
  const home = process.env.AMPLIFIER_HOME ?? join(homedir(), '.amplifier');
  const wanted = configured ?? ['.amplifier/skills', join(home, 'skills')];
  return wanted.map((folder) =>
    folder.startsWith('~/') ? join(homedir(), folder.slice(2)) : resolve(project, folder),
  );
}
