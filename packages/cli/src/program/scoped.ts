import type { Command } from 'commander';

/** Whose settings a command changes. */
export function scoped(command: Command): Command {
  return command
    .option('--user', 'for you in every project')
    .option('--project', 'for everybody in this project')
    .option('--local', 'for you in this project');
}
