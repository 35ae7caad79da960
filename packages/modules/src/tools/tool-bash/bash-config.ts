import { z } from 'zod';
import {
  BACKGROUND_PROCESSES,
  BASH_MAX_PROCESSES,
  BASH_MAX_TIMEOUT_S,
  BASH_OUTPUT_BYTES,
  BASH_TIMEOUT_S,
} from '../defaults.js';

export const BashConfig = z.object({
  /** Permission rules read a line as bash does. */
  shell: z
    .string()
    .regex(/(?:^|\/)bash$/, 'must be bash, or the path of one')
    .default('bash'),
  /** Seconds a command has when it does not say. */
  timeout: z.number().positive().default(BASH_TIMEOUT_S),
  max_timeout: z.number().positive().default(BASH_MAX_TIMEOUT_S),
  /** Kept of each stream for the model. */
  max_output_bytes: z.number().int().positive().default(BASH_OUTPUT_BYTES),
  max_background: z.number().int().nonnegative().default(BACKGROUND_PROCESSES),
  /** Processes one command may have at a time. */
  max_processes: z.number().int().positive().default(BASH_MAX_PROCESSES),
  /** Where long output goes and stays. Without it, to a temporary folder that goes with the session. */
  output_folder: z.string().optional(),
  /** Variables that commands get beside those that programs need: `NAME`, or `PREFIX_*`. */
  pass_env: z.array(z.string()).default([]),
});
export type BashConfig = z.output<typeof BashConfig>;
