import { z } from 'zod';
import { sanitizeText } from '../text/sanitize-text.js';

export const ToolResult = z.object({
  success: z.boolean().default(true),
  output: z.unknown().optional(),
  error: z
    .looseObject({
      message: z.string(),
      code: z.string().optional(),
      retryable: z.boolean().optional(),
    })
    .optional(),
});
export type ToolResult = z.infer<typeof ToolResult>;

export function toolSuccess(output?: unknown): ToolResult {
  return { success: true, output };
}

/** A failed result says the same to a program (`error`) and to a model (`output`). */
export function toolFailure(
  message: string,
  details: { code?: string | undefined; retryable?: boolean | undefined } = {},
): ToolResult {
  return { success: false, output: message, error: { message, ...details } };
}

/** The text of a result as the model gets to read it. */
export function toolResultText(result: ToolResult): string {
  const output = result.output ?? (result.success ? undefined : result.error?.message);
  if (output === undefined || output === null || output === '')
    return result.success ? 'Success' : 'Error: no details were given';
  return sanitizeText(typeof output === 'object' ? JSON.stringify(output) : String(output));
}
