import { listSkills, skillFolders } from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { openCliProject } from '../../open/open-project.js';
import { table } from '../../terminal/fit.js';

/** Every skill that sessions here can load, with its folder. */
export async function skillList(cli: Cli): Promise<number> {
  const project = await openCliProject(cli);
  const { skills, problems } = await listSkills({
    cwd: project.paths.cwd,
    plan: await project.plan(),
    folders: skillFolders(project),
  });
  const rows = [...skills.values()].map(({ name, description, folder }) => ({ name, description, folder }));
  if (cli.json) cli.printJson({ skills: rows, problems });
  else
    for (const line of table(
      rows.map(({ name, folder, description }) => [name, folder, description.replace(/\s+/g, ' ')]),
      cli.width,
    ))
      cli.print(line);
  if (rows.length === 0) cli.say('There are no skills. Put one into .amplifier/skills/NAME/SKILL.md.');
  if (!cli.json) for (const problem of problems) cli.say(`warning: ${problem}`);
  return 0;
}
