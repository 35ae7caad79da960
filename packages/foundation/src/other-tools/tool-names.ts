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
  WebFetch: 'tool-web',
  WebSearch: 'tool-web',
  TodoWrite: 'tool-todo',
  Task: 'tool-delegate',
  Agent: 'tool-delegate',
  Skill: 'tool-skills',
};

/** Those that leave everything as it is. */
const READING = ['Read', 'LS', 'NotebookRead', 'Grep', 'Glob', 'WebFetch', 'WebSearch', 'TodoWrite', 'Skill'];

/** The module a tool of Claude Code's stands for; null for one that has no counterpart. */
export function moduleOfTool(name: string): string | null {
  if (name.startsWith('mcp__')) return 'tool-mcp';
  return Object.hasOwn(CLAUDE_TOOLS, name) ? (CLAUDE_TOOLS[name] ?? null) : null;
}

export function onlyReads(names: readonly string[]): boolean {
  return names.every((name) => READING.includes(name));
}
