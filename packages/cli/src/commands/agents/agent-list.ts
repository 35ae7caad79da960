import type { LoadedAgent } from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { openCliProject } from '../../open/open-project.js';
import { text } from '../../options/session-options.js';
import type { Options } from '../../program/bind.js';
import { table, wrap } from '../../terminal/fit.js';
import { externalRows } from './agent-external.js';

/** Columns below which what an agent does needs the room of where it comes from. */
const NARROW = 60;

/** Every agent with its source. A file that cannot be read is told of, and the list is a list all the same. */
export async function agentList(cli: Cli, options: Options): Promise<number> {
  const project = await openCliProject(cli, text(options.bundle));
  const [listed, external] = await Promise.all([project.agents.listAgents(), externalRows(project)]);
  const { agents } = listed;
  const problems = [...listed.problems, ...external.problems];
  const inline = Object.entries(project.bundle.agents).filter(
    ([name]) => !agents.some((agent) => agent.name === name || `${agent.origin}:${agent.name}` === name),
  );
  const rows = [
    ...agents.map((agent) => ({ name: agent.name, source: agent.origin, description: description(agent) })),
    ...inline.map(([name, { description = '' }]) => ({
      name,
      source: project.bundle.name,
      description: String(description),
    })),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
  const installed = external.rows.filter((row) => row.installed);
  const others = external.rows.filter((row) => !row.installed);
  rows.push(...installed, ...(options.all || cli.json ? others : []));
  if (cli.json)
    cli.printJson({
      agents: rows,
      problems: problems.map(({ level, code, message }) => ({ level, code, message })),
    });
  else
    for (const line of table(
      rows.map(({ name, source, description }) => {
        const about = description.replace(/\s+/g, ' ');
        return cli.width < NARROW ? [name, about] : [name, source, about];
      }),
      cli.width,
    ))
      cli.print(line);
  if (others.length > 0 && !options.all && !cli.json)
    for (const line of wrap(
      `${others.length} known external coding agents are not installed. List them with --all.`,
      cli.width,
    ))
      cli.say(line);
  if (rows.length === 0) cli.say("There are no agents. Write one with 'amplifier agent new NAME'.");
  if (!cli.json) for (const { level, message } of problems) cli.say(`${level}: ${message}`);
  return 0;
}

function description({ agent }: LoadedAgent): string {
  return agent.description ?? '';
}
