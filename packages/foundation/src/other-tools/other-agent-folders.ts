import { join } from 'node:path';
import { parseAgentName } from '../agents/agent-name.js';
import type { AgentSearchPath } from '../agents/list-agent-files.js';
import { agentFileReader, type ReadAgentFile } from '../agents/read-agent-file.js';
import { codexAgentNames, codexRoleFiles } from './codex-config.js';
import { OPENCODE_CONFIGS, opencodeAgentNames } from './opencode-config.js';

/** Tools whose files are read beside ours. */
export const OTHER_TOOLS = ['claude_code', 'opencode', 'codex'] as const;
export type OtherTool = (typeof OTHER_TOOLS)[number];

const PROJECT = ' project';

/** Does an agent of this origin come from the project's own files? */
export function isProjectOrigin(origin: string): boolean {
  return origin === 'project' || origin.endsWith(PROJECT);
}

interface ToolFolders {
  origin: string;
  user: string[];
  project: string[];
  extension?: string;
  /** Settings that may hold agents, too. */
  configs?: { user: string[]; project: string[]; namesIn: (file: string) => Promise<string[]> };
  /** The files say themselves what their agents are called. */
  named?: true;
  /** Files that belong to agents of the settings, and are none by themselves. */
  parts?: (settings: string) => Promise<ReadonlySet<string>>;
}

const CODEX_CONFIG = '.codex/config.toml';

const FOLDERS: Record<OtherTool, ToolFolders> = {
  claude_code: {
    origin: 'claude-code',
    user: ['.claude/agents'],
    project: ['.claude/agents'],
    named: true,
  },
  opencode: {
    origin: 'opencode',
    user: ['.config/opencode/agents', '.config/opencode/agent'],
    project: ['.opencode/agents', '.opencode/agent'],
    configs: {
      user: OPENCODE_CONFIGS.map((name) => `.config/opencode/${name}`),
      project: OPENCODE_CONFIGS.flatMap((name) => [name, `.opencode/${name}`]),
      namesIn: opencodeAgentNames,
    },
  },
  codex: {
    origin: 'codex',
    user: ['.codex/agents'],
    project: ['.codex/agents'],
    extension: '.toml',
    configs: { user: [CODEX_CONFIG], project: [CODEX_CONFIG], namesIn: codexAgentNames },
    named: true,
    parts: codexRoleFiles,
  },
};

/** The folders in which other tools keep agents, the project's before the person's. They come after all of ours. */
export function otherAgentFolders(
  tools: ReadonlySet<OtherTool>,
  { home, cwd }: { home: string; cwd: string },
): AgentSearchPath[] {
  const chosen = OTHER_TOOLS.filter((tool) => tools.has(tool)).map((tool) => FOLDERS[tool]);
  const read = agentFileReader();
  return chosen.flatMap(({ origin, user, project, named, parts, configs, ...kind }) => {
    const settings = [
      ...(configs?.project ?? []).map((name) => join(cwd, name)),
      ...(configs?.user ?? []).map((name) => join(home, name)),
    ];
    const isPart = async (path: string) =>
      (await Promise.all(settings.map((file) => parts?.(file)))).some((files) => files?.has(path));
    const nameOf = async (path: string) =>
      (await nameIn(path, read)) ?? ((await isPart(path)) ? false : null);
    const files = named ? { ...kind, nameIn: nameOf } : kind;
    const inConfig = { namesIn: configs?.namesIn ?? (async () => []) };
    const ofProject = { origin: `${origin}${PROJECT}`, confine_to: cwd };
    const ofUser = { origin: `${origin} user` };
    return [
      ...project.map((path) => ({ path: join(cwd, path), ...ofProject, ...files })),
      ...(configs?.project ?? []).map((path) => ({ path: join(cwd, path), ...ofProject, ...inConfig })),
      ...(home === cwd ? [] : user.map((path) => ({ path: join(home, path), ...ofUser, ...files }))),
      ...(home === cwd ? [] : (configs?.user ?? [])).map((path) => ({
        path: join(home, path),
        ...ofUser,
        ...inConfig,
      })),
    ];
  });
}

/** Null for a file that cannot be read, and for a name that cannot be asked for: then its own serves. */
async function nameIn(path: string, read: ReadAgentFile): Promise<string | null> {
  try {
    const { name } = (await read(path)).agent;
    return parseAgentName(name).namespace === null ? name : null;
  } catch {
    return null;
  }
}
