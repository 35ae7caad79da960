import type { Report } from '@amplifier/core';
import type { HttpHandler, McpService } from '@amplifier/mcp';
import type { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Logger } from 'pino';
import type { DaemonConfig, Environment } from '../config.js';
import { DaemonError } from '../daemon-error.js';
import { OWNER } from '../http/gate.js';
import { type Caller, checkScope } from '../http/scope.js';
import type { WorkingFolders } from '../sessions/working-folders.js';
import { VERSION } from '../version.js';
import { untilRevoked } from './until-revoked.js';

export interface McpMountOptions {
  /** Where delegations work unless a call says otherwise. */
  cwd: string;
  environment: Environment;
  config: Pick<DaemonConfig, 'max_body_bytes'>;
  folders: WorkingFolders;
  logger: Logger;
}

/**
 * The MCP server at `/mcp`, behind the daemon's own gate: host name, origin and token (of the scope
 * `run`) are checked before it hears of a request.
 * Nothing of it is loaded before the first one. `close` cuts off what runs, so that it can be continued later.
 */
export class McpMount implements AsyncDisposable {
  readonly path = '/mcp';
  readonly #options: McpMountOptions;
  #opened: Promise<{ service: McpService; handler: HttpHandler }> | undefined;
  #closed = false;

  constructor(options: McpMountOptions) {
    this.#options = options;
  }

  mount<E extends { Variables: { caller: Caller; isAllowed: () => Promise<boolean> } }>(app: Hono<E>): void {
    const { max_body_bytes: maxSize } = this.#options.config;
    app.use(this.path, bodyLimit({ maxSize, onError: () => tooLarge(maxSize) }));
    app.all(this.path, async (context) => {
      const caller = context.get('caller');
      checkScope(caller, 'run');
      if (this.#closed) throw new DaemonError('NOT_READY', 'The daemon is stopping.');
      this.#opened ??= this.#open();
      // The daemon's own token is the operator's, who sees everything.
      const owner = caller === OWNER ? null : caller.id;
      const response = await (await this.#opened).handler.fetch(context.req.raw, { owner });
      return untilRevoked(response, context.get('isAllowed'));
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const opened = await this.#opened;
    await opened?.service.close();
    await opened?.handler.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #open() {
    const { httpHandler, McpService } = await import('@amplifier/mcp');
    const { cwd, environment, logger, folders } = this.#options;
    const report: Report = ({ level, code, message }) =>
      logger[level === 'error' ? 'error' : 'warn']({ code }, message);
    const service = new McpService({
      cwd,
      environment,
      report,
      operator: {
        allows: (folder) => folders.allowed(folder),
        trusts: (folder) => folders.trusts(folder),
        widest: folders.widest,
      },
    });
    const handler = httpHandler(service, { version: VERSION, gated: true, token: null });
    return { service, handler };
  }
}

function tooLarge(limit: number): never {
  throw new DaemonError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`);
}
