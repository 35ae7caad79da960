import { z } from 'zod';
import { SHELL_HOOK_TIMEOUT_S } from '../defaults.js';

export const ShellHook = z.object({
  event: z.string(),
  /** Only for these tools: globs over `tool_name`. */
  tools: z.array(z.string()).optional(),
  /** A line for the shell, or a program with its arguments. */
  command: z.union([z.string().min(1), z.tuple([z.string()], z.string())]),
  /** Seconds. */
  timeout: z.number().positive().default(SHELL_HOOK_TIMEOUT_S),
  /**
   * What a command that fails means. Before an act (`tool:pre`, `prompt:submit`, `provider:request`) one that fails lets nothing
   * through, any other is passed over.
   */
  on_failure: z.enum(['continue', 'deny']).optional(),
  /** Spoken to as Claude Code speaks to its hooks: which event of its own, and for which of its tools. */
  claude: z.object({ event: z.string(), matcher: z.string().optional() }).optional(),
});
export type ShellHook = z.output<typeof ShellHook>;
