/** Claude Code's tools and the module of ours that does the same. */
const CLAUDE_TOOLS: Readonly<Record<string, string>> = {
  Read: 'tool-filesystem',
  LS: 'tool-filesystem',
  Write: 'tool-filesystem',
  Edit: 'tool-filesystem',
  MultiEdit: 'tool-filesystem',
  NotebookRead: 'tool-filesystem',
  NotebookEdit: 'tool-filesystem',
  Grep: 'tool-search',
  Glob: 'tool-search',
  Bash: 'tool-bash',
  BashOutput: 'tool-bash',
  KillShell: 'tool-bash',
  KillBash: 'tool-bash',
  WebFetch: 'tool-web',
  WebSearch: 'tool-web',
  TodoWrite: 'tool-todo',
  TodoRead: 'tool-todo',
  TaskCreate: 'tool-todo',
  TaskUpdate: 'tool-todo',
  TaskList: 'tool-todo',
  TaskGet: 'tool-todo',
  Task: 'tool-delegate',
  Agent: 'tool-delegate',
  Skill: 'tool-skills',
  ListMcpResourcesTool: 'tool-mcp',
  ReadMcpResourceTool: 'tool-mcp',
};

/** Of modules with several tools those that a tool of Claude Code's stands for. Whoever reads files may see which there are. */
const SINGLE_TOOLS: Readonly<Record<string, readonly string[]>> = {
  Read: ['read_file', 'list_files'],
  LS: ['list_files'],
  Write: ['write_file'],
  Edit: ['edit_file', 'multi_edit'],
  MultiEdit: ['edit_file', 'multi_edit'],
  NotebookRead: ['read_file', 'list_files'],
  NotebookEdit: ['edit_file', 'multi_edit'],
  Grep: ['grep'],
  Glob: ['glob'],
  WebFetch: ['web_fetch'],
  WebSearch: ['web_search'],
};

/** The tools of ours that these stand for, by module; modules that are one tool are left out. */
export function singleTools(names: readonly string[]): Record<string, string[]> {
  const chosen: Record<string, string[]> = {};
  for (const name of names) {
    const module = moduleOfTool(name);
    const tools = Object.hasOwn(SINGLE_TOOLS, name) ? SINGLE_TOOLS[name] : undefined;
    if (module && tools) chosen[module] = [...new Set([...(chosen[module] ?? []), ...tools])];
  }
  return chosen;
}

/** Those that need no tool here: every child can ask, and finds what it needs. */
const NEEDLESS = ['ToolSearch', 'ExitPlanMode', 'EnterPlanMode', 'AskUserQuestion', 'StructuredOutput'];

/** Those that leave everything as it is. */
const READING = ['Read', 'LS', 'NotebookRead', 'Grep', 'Glob', 'WebFetch', 'WebSearch', 'Skill'];

/** The module a tool of Claude Code's stands for; null for one that has no counterpart. */
export function moduleOfTool(name: string): string | null {
  if (name.startsWith('mcp__')) return 'tool-mcp';
  return Object.hasOwn(CLAUDE_TOOLS, name) ? (CLAUDE_TOOLS[name] ?? null) : null;
}

export function onlyReads(names: readonly string[]): boolean {
  return names.every((name) => READING.includes(name) || moduleOfTool(name) === 'tool-todo');
}

export function isNeedless(name: string): boolean {
  return NEEDLESS.includes(name);
}
