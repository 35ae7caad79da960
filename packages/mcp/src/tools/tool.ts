import type { InputRequiredResult, ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Call } from '../wire/call.js';

/** One tool of the server: what it takes, what it gives, and how that reads. */
export interface ToolDefinition<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: Output;
  annotations: ToolAnnotations;
  /** Throws for a call that cannot be carried out; failures of the work itself are results. */
  run(input: z.infer<Input>, call: Call): Promise<z.infer<Output> | InputRequiredResult>;
  /** The same for a reader. */
  text(output: z.infer<Output>): string;
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Input, Output>,
): ToolDefinition<Input, Output> {
  return definition;
}

/** Looks and changes nothing, not even what it looks at. */
export const LOOKS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
