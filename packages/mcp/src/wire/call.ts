import { errorInfo } from '@amplifier/host';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Caller, McpService } from '../service.js';
import { Progress, type Ticks } from './progress.js';

/** One call of a tool: who calls, through what, and how to reach them while they wait. */
export interface Call extends Caller {
  service: McpService;
  context: ServerContext;
  /** May the request still be written to after its handler returned a question? Only in the older protocol. */
  stays_open: boolean;
  /** Seals what a later round of this call needs to know. */
  seal(payload: { run_id: string }): Promise<string>;
}

export function progressOf(
  { service, context }: Call,
  message: string,
  ticks: Ticks = { ticks: 0 },
): Progress {
  return new Progress(context, {
    clock: service.clock,
    ticks,
    message,
    onError: (error) =>
      service.report({ level: 'warning', code: 'PROGRESS_LOST', message: errorInfo(error).message, error }),
  });
}
