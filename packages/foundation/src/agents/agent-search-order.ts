import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { AGENT_VARIABLE, agentVariable } from './agent-name.js';
import type { AgentOverride } from './agent-resolver.js';
import type { AgentSearchPath } from './list-agent-files.js';

/** An override read from the environment: `AMPLIFIER_AGENT_<NAME>` holds the path of a file; `~` is the home folder. */
export function environmentOverride(
  environment: Readonly<Record<string, string | undefined>>,
  { home = homedir(), cwd = process.cwd() }: { home?: string; cwd?: string } = {},
): AgentOverride {
  return (name) => {
    const variable = agentVariable(name);
    const value = environment[variable]?.trim();
    return value ? { path: resolve(cwd, expandHome(value, home)), origin: `env ${variable}` } : null;
  };
}

/** The agents that the environment sets: each under the name its variable says, in lower case with dashes. */
export function environmentAgentNames(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(environment)
    .filter((variable) => variable.startsWith(AGENT_VARIABLE) && environment[variable]?.trim())
    .map((variable) => variable.slice(AGENT_VARIABLE.length).toLowerCase().replaceAll('_', '-'))
    .sort();
}

/** The usual order: the user's folder, then the project's, then those of the bundles as given. */
export function agentSearchOrder({
  userDir,
  projectDir,
  bundles = [],
}: {
  /** Such as `~/.amplifier`. */
  userDir: string;
  /** Such as `<project>/.amplifier`. */
  projectDir: string;
  bundles?: readonly AgentSearchPath[];
}): AgentSearchPath[] {
  return [
    { path: join(userDir, 'agents'), origin: 'user' },
    { path: join(projectDir, 'agents'), origin: 'project' },
    ...bundles,
  ];
}

export function expandHome(path: string, home = homedir()): string {
  return path === '~' || path.startsWith('~/') || path.startsWith('~\\') ? join(home, path.slice(1)) : path;
}
