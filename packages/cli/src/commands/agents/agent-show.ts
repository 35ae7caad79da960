import { type JsonObject, redactSecrets } from '@amplifier/host';
import { stringify } from 'yaml';
import type { Cli } from '../../cli.js';
import { openCliProject } from '../../open/open-project.js';
import { text } from '../../options/session-options.js';
import type { Options } from '../../program/bind.js';
import { findExternal } from './agent-external.js';

/** The resolved configuration of an agent in YAML, where it came from and what it hides. */
export async function agentShow(cli: Cli, name: string, options: Options): Promise<number> {
  const project = await openCliProject(cli, text(options.bundle));
  const inline = Object.hasOwn(project.bundle.agents, name) ? project.bundle.agents[name] : undefined;
  const found = await project.agents.resolver.find(name);
  if (!found && inline) {
    show(cli, { name, source: project.bundle.name, path: null, hides: [] }, inline);
    return 0;
  }
  const external = found ? undefined : await findExternal(project, name);
  if (external) {
    const { agent, program } = external;
    show(cli, { name, source: 'acp', path: program, installed: program !== null, hides: [] }, agent);
    if (program === null)
      cli.say(`It is not installed.${agent.install ? ` Install it with: ${agent.install}` : ''}`);
    return 0;
  }
  const agent = await project.agents.loadAgent(name);
  const { path, origin, hides, digest, warnings } = agent;
  show(cli, { name, source: origin, path, digest, hides }, agent.toMountPlanFragment());
  for (const { message } of warnings) cli.say(`warning: ${message}`);
  return 0;
}

function show(cli: Cli, place: JsonObject, config: JsonObject): void {
  const kept = redactSecrets(config);
  if (cli.json) {
    cli.printJson({ ...place, config: kept });
    return;
  }
  const { source, path, hides } = place as {
    source: string;
    path: string | null;
    hides: { path: string; origin: string }[];
  };
  cli.print(`# source: ${source}`);
  if (path !== null) cli.print(`# file: ${path}`);
  for (const hidden of hides) cli.print(`# hides: ${hidden.path} (${hidden.origin})`);
  cli.print(stringify(kept, { lineWidth: 0 }));
}
