import type { Tool } from '@amplifier/core';
import { z } from 'zod';

/** Of a module's tools only these are there. For agents that name single tools. */
export const OnlyTools = z.array(z.string()).optional();

export function chosenTools(tools: readonly Tool[], only: z.output<typeof OnlyTools>): Tool[] {
  return tools.filter(({ name }) => only === undefined || only.includes(name));
}
