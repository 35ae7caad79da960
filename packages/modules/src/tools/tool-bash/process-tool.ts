import type { Tool } from '@amplifier/core';
import { z } from 'zod';
import { defineTool } from '../define-tool.js';
import { ToolError } from '../tool-error.js';
import type { BackgroundProcess, BackgroundProcesses } from './background-processes.js';

const Input = z.object({
  action: z.enum(['list', 'read', 'kill']),
  id: z.string().optional().describe('As bash gave it. Needed by read and kill'),
});

export function processTool(background: BackgroundProcesses): Tool {
  return defineTool({
    name: 'bash_process',
    description:
      'Look after commands that bash runs in the background: list them, read what one wrote since the last reading, end one.',
    input: Input,
    async run({ action, id }) {
      if (action === 'list') return { processes: background.list().map(describe) };
      if (id === undefined)
        throw new ToolError('INVALID_INPUT', `The action ${action} needs the id of a process.`);
      const process = background.get(id);
      if (action === 'kill') process.end = await process.running.stop();
      return { ...describe(process), output: process.output.take() };
    },
  });
}

function describe({ id, pid, command, end }: BackgroundProcess) {
  if (end === null) return { id, pid, command, state: 'running' };
  const held_back = end.held_back.length === 0 ? {} : { held_back: end.held_back };
  return { id, pid, command, state: end.ended, exit_code: end.exit_code, ...held_back };
}
