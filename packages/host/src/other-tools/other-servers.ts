import { errorInfo, type JsonObject } from '@amplifier/core';
import type { Project } from '../project/project.js';
import { allowedVariables } from '../trust/folder-trust.js';
import { withoutLoosening } from '../trust/only-tighter.js';
import { withoutVariables } from '../trust/without-variables.js';
import { enabledTools, userHome } from './enabled-tools.js';
import { serverFiles } from './tool-servers.js';

/** An MCP server that a file of another tool's names. */
export interface OtherServer {
  name: string;
  origin: string;
  config: JsonObject;
  /** Not while the folder whose file names it is not trusted. */
  used: boolean;
}

/** All of them, the first of a name counts; and what is wrong with the files that name them. */
export async function otherServers({
  paths,
  settings,
  environment,
  trust,
}: Pick<Project, 'paths' | 'settings' | 'environment' | 'trust'>): Promise<{
  servers: OtherServer[];
  problems: string[];
}> {
  const variables = allowedVariables(settings.scopes.user);
  const places = { home: userHome(environment), cwd: paths.cwd };
  const found = new Map<string, OtherServer>();
  const problems: string[] = [];
  for (const { file, origin, ofProject, read } of serverFiles(enabledTools(settings.settings), places)) {
    try {
      const { servers, left_out } = await read();
      const bounded = ofProject ? withoutLoosening(withoutVariables(servers, variables)) : servers;
      for (const [name, config] of Object.entries(bounded))
        if (!found.has(name))
          found.set(name, { name, origin, config, used: !ofProject || trust.state === 'trusted' });
      if (left_out.length > 0) problems.push(`${file}: Skipped servers: ${left_out.join(', ')}.`);
    } catch (error) {
      // A session runs without the servers of a file that cannot be read.
      problems.push(errorInfo(error).message);
    }
  }
  return { servers: [...found.values()], problems };
}
