import type { ShellCommands } from './parse-shell-commands.js';

export type { ShellCommands };

/** The function that finds the commands of a line for `bash`. Loaded late: most commands of the CLI need no parser. */
export async function loadShellParser(): Promise<(line: string) => ShellCommands> {
  return (await import('./parse-shell-commands.js')).parseShellCommands;
}
