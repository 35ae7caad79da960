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
