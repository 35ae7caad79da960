import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from '@amplifier/core';
import type { HttpHandler, McpService } from '@amplifier/mcp';
import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Logger } from 'pino';
import { OWNER } from '../auth/gate.js';
import { type Caller, checkScope } from '../auth/scope.js';
import type { Environment } from '../config.js';
import { DaemonError } from '../daemon-error.js';
import { FOLDER_MODE, TOKEN_CHECK_MS } from '../defaults.js';
import { checkArrived } from '../http/check-arrived.js';
import type { Services } from '../services.js';
import type { WorkingFolders } from '../sessions/working-folders.js';
import { openForTenant, openShared } from '../tenants/bind-database.js';
import type { Budgets } from '../tenants/budgets.js';
import { VERSION } from '../version.js';

export interface McpMountOptions {
  /** Where delegations work unless a call says otherwise. */
  cwd: string;
  environment: Environment;
  logger: Logger;
  /** Jobs are runs of the daemon, in its record. */
  services: Services;
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
    app.all(this.path, async (context) => {
      const caller = context.get('caller');
      checkScope(caller, 'run');
      if (this.#closed) throw new DaemonError('NOT_READY', 'The daemon is stopping.');
      const { tenant } = caller;
      const opened = this.#opened.get(tenant ?? '') ?? this.#open(tenant);
      this.#opened.set(tenant ?? '', opened);
      // The daemon's own token is the operator's, who sees everything.
      const owner = caller === OWNER ? null : caller.id;
      const { readBody } = await import('@amplifier/mcp');
      const { config, home, audit } = this.#options.services;
      const read = await readBody(context.req.raw, config.max_body_bytes);
      checkArrived((context.env as HttpBindings).incoming);
      if ('refused' in read) return read.refused;
      const tool = toolCalled(read.parsedBody);
      if (tool?.split(', ').some((name) => STARTS.has(name)))
        await this.#options.budgets.check(tenant, caller.account);
      const { handler } = await opened;
      const work = () => handler.fetch(context.req.raw, { owner, ...read });
      const response =
        tool === null || home.isUsers
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
    const { logger, services } = this.#options;
    const { folders, runs, store } = tenant === undefined ? services : services.of(tenant);
    const { cwd, environment, trees } = await this.#placeOf(tenant, folders);
    const report: Report = ({ level, code, message }) =>
      logger[level === 'error' ? 'error' : 'warn']({ code }, message);
    const service = new McpService({
      ...{ cwd, environment, report },
      served: { runs, store },
      // Agents of a tenant share no breaker with those of the operator here.
      breaker: tenant === undefined ? await services.runtime.hosts.breaker() : undefined,
      operator: {
        allows: (folder, looked) => folders.allowed(folder, looked),
        trusts: (folder, looked) => folders.trusts(folder, looked),
        widest: folders.widest,
        readable: folders.readable,
        homes: folders.homes,
        requireReach: (launch) => folders.requireReach(launch, trees),
      },
    });
    const handler = httpHandler(service, { version: VERSION, gated: true, token: null });
    return { service, handler };
  }

  /**
   * Where settings, jobs and agents are: for `amplifier serve` with the user; in a deployment below its home, with its record. A
   * tenant has its own folder and home, and of the record what is its own. Nothing of the daemon's user is read for it.
   */
  async #placeOf(tenant: string | undefined, folders: WorkingFolders) {
    const { cwd, environment, services } = this.#options;
    const { home: daemon } = services;
    const { fixRecord, hostPaths } = await import('@amplifier/host');
    if (daemon.isUsers) return { cwd, environment, trees: hostPaths(cwd, environment).trees };
    const home = tenant === undefined ? join(daemon.home, 'mcp') : join(daemon.home, 'tenants', tenant);
    await mkdir(home, { recursive: true, mode: FOLDER_MODE });
    const open = () =>
      tenant === undefined ? openShared(daemon.record) : openForTenant(daemon.record, tenant);
    fixRecord(join(home, 'amplifier.db'), open);
    const own = {
      ...environment,
      AMPLIFIER_HOME: home,
      // Outside of every home, because sessions read in them, and where every grant denies the trees of other sessions.
      AMPLIFIER_TREES_DIR: join(daemon.trees, tenant === undefined ? 'mcp' : `mcp-${tenant}`),
      ...(tenant === undefined ? {} : { HOME: home }),
    };
    return {
      cwd: tenant === undefined ? cwd : await folders.allowed(null),
      environment: own,
      trees: hostPaths(cwd, own).trees,
    };
  }
}

/** Tools that set a model to work. */
const STARTS = new Set(['delegate', 'continue_job', 'review', 'plan', 'analyze']);

/** The tools that the messages of a body call; null where they call none. */
function toolCalled(body: unknown): string | null {
  const messages = [body].flat() as ({ method?: unknown; params?: { name?: unknown } } | null | undefined)[];
  const calls = messages.filter((each) => each?.method === 'tools/call');
  return calls.length === 0 ? null : calls.map((each) => String(each?.params?.name).slice(0, 100)).join(', ');
}

function mcpStatus(ended: { value: Response } | { error: unknown }): number {
  return 'value' in ended ? ended.value.status : 500;
}

/** The answer, which breaks off when the token it was asked with does not count any more. */
function untilRevoked(response: Response, isAllowed: () => Promise<boolean>): Response {
  if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream'))
    return response;
  const reader = response.body.getReader();
  let timer: NodeJS.Timeout;
  const over = () => {
    clearInterval(timer);
    return reader.cancel('the token was revoked');
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const check = async () => {
        if (await isAllowed()) return;
        void over();
        controller.close();
      };
      // What cannot be looked up now is looked up again.
      timer = setInterval(() => void check().catch(() => {}), TOKEN_CHECK_MS).unref();
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (!done && (await isAllowed())) return controller.enqueue(value);
      if (done) clearInterval(timer);
      else void over();
      controller.close();
    },
    cancel: over,
  });
  return new Response(body, response);
}
