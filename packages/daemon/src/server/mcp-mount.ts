import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from '@amplifier/core';
import type { HttpHandler, McpService } from '@amplifier/mcp';
import type { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Logger } from 'pino';
import type { DaemonConfig, Environment } from '../config.js';
import { DaemonError } from '../daemon-error.js';
import { FOLDER_MODE } from '../defaults.js';
import { OWNER } from '../http/gate.js';
import { type Caller, checkScope } from '../http/scope.js';
import type { WorkingFolders } from '../sessions/working-folders.js';
import type { Audit } from '../tenants/audit.js';
import { openForTenant } from '../tenants/bind-database.js';
import type { Budgets } from '../tenants/budgets.js';
import { VERSION } from '../version.js';
import { untilRevoked } from './until-revoked.js';

export interface McpMountOptions {
  /** Where delegations work unless a call says otherwise. */
  cwd: string;
  environment: Environment;
  config: Pick<DaemonConfig, 'max_body_bytes'>;
  folders: WorkingFolders;
  logger: Logger;
  /** Where tenants have a home of their own, for settings, jobs and agents at `/mcp`, and the record that their sessions are in. */
  tenants: { homes: string; record: string };
  /** Where it is written who changed what; null where there is one user. */
  audit: Audit | null;
  budgets: Budgets;
}

/**
 * The MCP server at `/mcp`, behind the daemon's own gate: host name, origin and token (of the scope
 * `run`) are checked before it hears of a request.
 * Nothing of it is loaded before the first one. `close` cuts off what runs, so that it can be continued later.
 */
export class McpMount implements AsyncDisposable {
  readonly path = '/mcp';
  readonly #options: McpMountOptions;
  /** By tenant; '' is the operator's own. */
  readonly #opened = new Map<string, Promise<{ service: McpService; handler: HttpHandler }>>();
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
      const { tenant } = caller;
      const opened = this.#opened.get(tenant ?? '') ?? this.#open(tenant);
      this.#opened.set(tenant ?? '', opened);
      // The daemon's own token is the operator's, who sees everything.
      const owner = caller === OWNER ? null : caller.id;
      const tool = await toolCalled(context.req.raw);
      if (tool?.split(', ').some((name) => STARTS.has(name)))
        await this.#options.budgets.check(tenant, caller.id);
      const { handler } = await opened;
      const work = () => handler.fetch(context.req.raw, { owner });
      const { audit } = this.#options;
      const response =
        tool === null || audit === null
          ? await work()
          : await audit.during(caller, { operation: `POST ${this.path}`, target: tool }, work, mcpStatus);
      return untilRevoked(response, context.get('isAllowed'));
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const opening of this.#opened.values()) {
      const { service, handler } = await opening;
      await service.close();
      await handler.close();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #open(tenant: string | undefined) {
    const { httpHandler, McpService } = await import('@amplifier/mcp');
    const { logger } = this.#options;
    const folders = this.#options.folders.of(tenant);
    const { cwd, environment } = await this.#placeOf(tenant, folders);
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

  /** A tenant has its own folder and home, and of the record what is its own. */
  async #placeOf(tenant: string | undefined, folders: WorkingFolders) {
    const { cwd, environment, tenants } = this.#options;
    if (tenant === undefined) return { cwd, environment };
    const home = join(tenants.homes, tenant);
    await mkdir(home, { recursive: true, mode: FOLDER_MODE });
    const { fixRecord } = await import('@amplifier/host');
    fixRecord(join(home, 'amplifier.db'), () => openForTenant(tenants.record, tenant));
    return { cwd: await folders.allowed(null), environment: { ...environment, AMPLIFIER_HOME: home } };
  }
}

/** Tools that set a model to work. */
const STARTS = new Set(['delegate', 'continue_job', 'review', 'plan', 'analyze']);

/** The tool that a request calls; null where it calls none. */
async function toolCalled(request: Request): Promise<string | null> {
  if (request.method !== 'POST') return null;
  const body: unknown = await request
    .clone()
    .json()
    .catch(() => null);
  const calls = (Array.isArray(body) ? body : [body]).filter((each) => each?.method === 'tools/call');
  return calls.length === 0 ? null : calls.map(({ params }) => String(params?.name).slice(0, 100)).join(', ');
}

function mcpStatus(ended: { value: Response } | { error: unknown }): number {
  return 'value' in ended ? ended.value.status : 500;
}

function tooLarge(limit: number): never {
  throw new DaemonError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`);
}
