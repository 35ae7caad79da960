import type { Report } from '@amplifier/core';
import type { HttpHandler, McpService } from '@amplifier/mcp';
import type { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Logger } from 'pino';
import type { DaemonConfig, Environment } from '../config.js';
import { DaemonError } from '../daemon-error.js';
import { type Caller, checkScope } from '../http/scope.js';
import type { WorkingFolders } from '../sessions/working-folders.js';
import { VERSION } from '../version.js';

export interface McpMountOptions {
  /** Where delegations work unless a call says otherwise. */
  cwd: string;
  environment: Environment;
  config: Pick<DaemonConfig, 'max_body_bytes' | 'mcp_trust_workspace'>;
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

  mount<E extends { Variables: { caller: Caller } }>(app: Hono<E>): void {
    const { max_body_bytes: maxSize } = this.#options.config;
    app.use(this.path, bodyLimit({ maxSize, onError: () => tooLarge(maxSize) }));
    app.all(this.path, async (context) => {
      checkScope(context.get('caller'), 'run');
      if (this.#closed) throw new DaemonError('NOT_READY', 'The daemon is stopping.');
      this.#opened ??= this.#open();
      return (await this.#opened).handler.fetch(context.req.raw);
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
    const { cwd, environment, config, logger, folders } = this.#options;
    const report: Report = ({ level, code, message }) =>
      logger[level === 'error' ? 'error' : 'warn']({ code }, message);
    const service = new McpService({
      cwd,
      environment,
      report,
      allowsFolder: (folder) => folders.allowed(folder),
    });
    const honours_trust = config.mcp_trust_workspace;
    const handler = httpHandler(service, { version: VERSION, gated: true, token: null, honours_trust });
    return { service, handler };
  }
}

function tooLarge(limit: number): never {
  throw new DaemonError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`);
}
