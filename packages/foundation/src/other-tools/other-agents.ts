import { join, sep } from 'node:path';
import type { AgentSearchPath } from '../agents/agent-resolver.js';
import { type ParsedAgent, parseAgent } from '../agents/parse-agent.js';
import { parseClaudeAgent } from './claude-agent.js';
import { parseCodexAgent } from './codex-agent.js';
import { parseOpencodeAgent } from './opencode-agent.js';

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
}

const FOLDERS: Record<OtherTool, ToolFolders> = {
  claude_code: { origin: 'claude-code', user: ['.claude/agents'], project: ['.claude/agents'] },
  opencode: {
    origin: 'opencode',
    user: ['.config/opencode/agents', '.config/opencode/agent'],
    project: ['.opencode/agents', '.opencode/agent'],
  },
  codex: { origin: 'codex', user: ['.codex/agents'], project: ['.codex/agents'], extension: '.toml' },
};

/** The folders in which other tools keep agents, the project's before the person's. They come after all of ours. */
export function otherAgentFolders(
  tools: ReadonlySet<OtherTool>,
  { home, cwd }: { home: string; cwd: string },
): AgentSearchPath[] {
  const chosen = OTHER_TOOLS.filter((tool) => tools.has(tool)).map((tool) => FOLDERS[tool]);
  return chosen.flatMap(({ origin, user, project, ...files }) => [
    ...project.map((path) => ({
      path: join(cwd, path),
      origin: `${origin}${PROJECT}`,
      confine_to: cwd,
      ...files,
    })),
    ...(home === cwd
      ? []
      : user.map((path) => ({ path: join(home, path), origin: `${origin} user`, ...files }))),
  ]);
}

/** Reads a file by the rules of the tool in whose folder it lies. */
export function parseAnyAgent(text: string, file: string): ParsedAgent {
  const lies = (folder: string) => file.includes(`${sep}${folder.replaceAll('/', sep)}${sep}`);
  if (lies('.claude/agents')) return parseClaudeAgent(text, file);
  if (['.opencode/agents', '.opencode/agent', '.config/opencode/agents', '.config/opencode/agent'].some(lies))
    return parseOpencodeAgent(text, file);
  if (lies('.codex/agents')) return parseCodexAgent(text, file);
  return parseAgent(text, file);
}
