import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { closestNames, errorInfo, parseAgent } from '@amplifier/host';
import { McpToolError } from '../mcp-error.js';
import { BUILT_IN_ROLES, type Role } from './built-in-roles.js';

export interface Roles {
  /** By id, in order of id. */
  roles: ReadonlyMap<string, Role>;
  /** Files that could not be used, in words. */
  problems: string[];
}

/** Reads the roles of the folders, lowest first: a role of a later folder takes the place of an earlier one of its id. */
export async function loadRoles(folders: readonly string[]): Promise<Roles> {
  const found = new Map(BUILT_IN_ROLES.map((role) => [role.id, role]));
  const problems: string[] = [];
  for (const folder of folders) {
    for (const file of await markdownIn(folder, problems)) {
      try {
        const role = await readRole(join(folder, file));
        found.set(role.id, role);
      } catch (error) {
        problems.push(errorInfo(error).message);
      }
    }
  }
  return { roles: new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1))), problems };
}

export function roleNamed(id: string, { roles }: Pick<Roles, 'roles'>): Role {
  const role = roles.get(id);
  if (role) return role;
  const known = [...roles.keys()];
  const [guess] = closestNames(id, known);
  const hint = guess ? `Did you mean '${guess}'?` : `There are: ${known.join(', ')}.`;
  throw new McpToolError('UNKNOWN_ROLE', `No role is called '${id}'. ${hint}`);
}

/** A role is written like an agent: name and description in the frontmatter, the persona below. Its id is the file's name. */
async function readRole(path: string): Promise<Role> {
  const { agent } = parseAgent(await readFile(path, 'utf8'), path);
  if (agent.instruction === null)
    throw new McpToolError(
      'UNKNOWN_ROLE',
      `${path}: The role says nothing. Write the persona below the frontmatter.`,
    );
  const id = basename(path, '.md');
  return { id, name: agent.name, description: agent.description, source: path, prompt: agent.instruction };
}

async function markdownIn(folder: string, problems: string[]): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.md')).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') problems.push(errorInfo(error).message);
    return [];
  }
}
