import type { ServerContext } from '@modelcontextprotocol/server';
import type { Caller, McpService } from '../service.js';

/** One call of a tool: who calls, through what, and how to reach them while they wait. */
export interface Call extends Caller {
  service: McpService;
  context: ServerContext;
  /** May the request still be written to after its handler returned a question? Only in the older protocol. */
  stays_open: boolean;
  /** Seals what a later round of this call needs to know. */
  seal(payload: { run_id: string }): Promise<string>;
}
